// The centroids of segmented cells.
#include "formats/annotated/slides/cell_polygons.h"

#include <boost/filesystem/fstream.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
using annotated::CellCentroid;

std::vector<CellCentroid> centroids(const std::string& text) {
  const TemporaryDirectory directory;
  TestContext context;
  const std::string path = directory.path("cells.geojson");
  boost::filesystem::ofstream(path) << text;
  return annotated::cell_centroids(path, context);
}

std::string collection(const std::string& features) {
  return R"({"type": "FeatureCollection", "crs": {"properties": {"a": [{"b": "}"}]}}, "features": [)" +
         features + "]}";
}

std::string cell(const std::string& id, const std::string& rings) {
  return R"({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": )" + rings +
         R"(}, "properties": {"name": "a \"]} b", "cell_id": )" + id + "}}";
}

BOOST_AUTO_TEST_SUITE(annotated_cell_polygons)

BOOST_AUTO_TEST_CASE(centroid_is_weighted_by_area) {
  // A square with another one of a quarter of its area beside it: (0.5 * 1 + 1.25 * 0.25) / 1.25.
  const auto found = centroids(
      collection(cell("7", "[[[0,0],[1,0],[1,0.5],[1.5,0.5],[1.5,1],[0,1],[0,0]]]") + ",\n " +
                 cell("3", "[[[1e6,1e6],[1000002,1e6],[1000002,1000004],[1e6,1000004],[1e6,1e6]]]")));
  BOOST_REQUIRE(found.size() == 2u);
  BOOST_TEST(found[0].cell == 7u);
  BOOST_TEST(found[0].x == 0.65, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(found[0].y == 0.55, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(found[1].cell == 3u);
  BOOST_TEST(found[1].x == 1000001.0);
  BOOST_TEST(found[1].y == 1000002.0);
}

BOOST_AUTO_TEST_CASE(hole_and_direction_are_considered) {
  // A square of 4 by 4 without its left half but for a frame, in both directions.
  const std::string outer = "[[0,0],[4,0],[4,4],[0,4],[0,0]]", inner = "[[0,0],[0,4],[2,4],[2,0],[0,0]]";
  const std::string turned = "[[0,0],[0,4],[4,4],[4,0],[0,0]]";
  for (const std::string& ring : {outer, turned}) {
    const auto found = centroids(collection(cell("1", "[" + ring + "," + inner + "]")));
    BOOST_TEST(found.at(0).x == 3.0);
    BOOST_TEST(found.at(0).y == 2.0);
  }
}

BOOST_AUTO_TEST_CASE(polygon_without_area_is_at_its_mean) {
  const auto found = centroids(collection(cell("1", "[[[2,1],[2,3]]]")));
  BOOST_TEST(found.at(0).x == 2.0);
  BOOST_TEST(found.at(0).y == 2.0);
}

BOOST_AUTO_TEST_CASE(other_documents_are_damaged) {
  const auto fails = [](const std::string& text, const char* word) {
    BOOST_CHECK_EXCEPTION(centroids(text), Error, [&](const Error& error) { return mentions(word)(error); });
  };
  const std::string square = "[[[0,0],[1,0],[1,1],[0,0]]]";
  fails(collection(cell("\"x\"", square)), "cell_id");
  fails(collection(cell("1", "[[[0]]]")), "a point is not two numbers");
  fails(collection(cell("1", "[]")), "a polygon without a ring");
  fails(collection(cell("1", "[[]]")), "a ring without points");
  fails(
      R"({"features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"cell_id": 4}}]})",
      "the cell 4 is no polygon");
  fails(collection(cell("1", square)).substr(0, 120), "the file is truncated");
  fails("{]", "the brackets do not match");
  fails(std::string(100, '['), "nested more than 64 times");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
