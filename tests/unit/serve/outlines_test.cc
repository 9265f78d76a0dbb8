#include "fs/serve/pages/cells/outlines.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/base/error.h"
#include "tests/support/mentions.h"

namespace plainfs::serve {
namespace {

// Returns the pixels that are set, as "x,y x,y", line by line.
std::string set_pixels(const LinePlane& plane, size_t width) {
  std::string text;
  for (size_t i = 0; i < plane.pixels().size(); ++i)
    if (plane.pixels()[i] != '\0')
      text += (text.empty() ? "" : " ") + std::to_string(i % width) + "," + std::to_string(i / width);
  return text;
}

std::string line_of(std::pair<double, double> from, std::pair<double, double> to) {
  LinePlane plane(4, 3);
  plane.line(from, to);
  return set_pixels(plane, 4);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(outlines)

BOOST_AUTO_TEST_CASE(line_sets_a_pixel_for_each_step) {
  BOOST_TEST(line_of({0.5, 0.5}, {3.5, 0.5}) == "0,0 1,0 2,0 3,0");
  BOOST_TEST(line_of({0.5, 0.5}, {2.5, 2.5}) == "0,0 1,1 2,2");
  BOOST_TEST(line_of({1.5, 2.5}, {1.5, 0.5}) == "1,0 1,1 1,2");
  BOOST_TEST(line_of({1.2, 1.2}, {1.2, 1.2}) == "1,1");
}

BOOST_AUTO_TEST_CASE(line_beyond_the_plane_is_cut) {
  BOOST_TEST(line_of({-2, 1}, {9, 1}) == "0,1 1,1 2,1 3,1");
  BOOST_TEST(line_of({-1e12, 1.5}, {1e12, 1.5}) == "0,1 1,1 2,1 3,1");
  BOOST_TEST(line_of({-1e300, -1}, {1e300, -1}).empty());
  BOOST_TEST(line_of({5, 0}, {9, 2}).empty());
  BOOST_TEST(line_of({0, NAN}, {1, 1}).empty());
  BOOST_TEST(line_of({-INFINITY, 1}, {1, 1}).empty());
}

BOOST_AUTO_TEST_CASE(geometry_is_lists_of_places) {
  BOOST_TEST((rings_in("POLYGON ((0 0, 4 0, 4 4.5, 0 0), (1 1, 2 1e0, -2 2, 1 1))") ==
              std::vector<Ring>{{{0, 0}, {4, 0}, {4, 4.5}, {0, 0}}, {{1, 1}, {2, 1}, {-2, 2}, {1, 1}}}));
  BOOST_TEST((rings_in("POINT Z (1 2 3)") == std::vector<Ring>{{{1, 2}}}));
  BOOST_TEST((rings_in("MULTIPOLYGON (((0 0, 1 0, 0 0)), ((5 5, 6 5, 5 5)))") ==
              std::vector<Ring>{{{0, 0}, {1, 0}, {0, 0}}, {{5, 5}, {6, 5}, {5, 5}}}));
  for (const char* const text : {"MULTIPOINT (1 2, 3 4)", "MULTIPOINT ((1 2), (3 4))"})
    BOOST_TEST((rings_in(text) == std::vector<Ring>{{{1, 2}}, {{3, 4}}}), text);
  BOOST_TEST(rings_in("POLYGON EMPTY").empty());
  BOOST_TEST(rings_in("").empty());
}

BOOST_AUTO_TEST_CASE(broken_geometry_is_damaged) {
  BOOST_CHECK_EXCEPTION(rings_in("POLYGON ((0 0, 1 1"), Error, mentions("'(' without ')'"));
  BOOST_CHECK_EXCEPTION(rings_in("01020304"), Error, mentions("neither WKB nor WKT"));
  BOOST_CHECK_EXCEPTION(rings_in("POINT 1 2)"), Error, mentions("')' without '('"));
  BOOST_CHECK_EXCEPTION(rings_in("POINT (- 2)"), Error, mentions("a number is expected at character 7"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::serve
