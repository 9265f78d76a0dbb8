#include "formats/schemas/parquet/wkt.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/core/base/encode.h"
#include "tests/support/mentions.h"

namespace plainfs::parquet {
namespace {

// Builds geometries in little-endian WKB.
struct Wkb : std::string {
  Wkb& head(uint32_t type) {
    *this += '\1';
    return number(type);
  }
  Wkb& number(uint32_t value) {
    append_little(*this, value, sizeof value);
    return *this;
  }
  Wkb& at(std::initializer_list<double> values) {
    for (const double value : values) append_little(*this, std::bit_cast<uint64_t>(value), sizeof value);
    return *this;
  }
};

std::string wkt(std::string_view wkb) {
  std::string out;
  append_wkt(wkb, out);
  return out;
}

BOOST_AUTO_TEST_SUITE(parquet_wkt)

BOOST_AUTO_TEST_CASE(every_kind_of_geometry) {
  BOOST_TEST(wkt(Wkb().head(1).at({1, -2.5})) == "POINT (1 -2.5)");
  BOOST_TEST(wkt(Wkb().head(2).number(2).at({0, 0, 1, 1})) == "LINESTRING (0 0, 1 1)");
  BOOST_TEST(wkt(Wkb().head(3).number(1).number(3).at({0, 0, 1, 0, 1, 1})) == "POLYGON ((0 0, 1 0, 1 1))");
  BOOST_TEST(wkt(Wkb().head(4).number(2).head(1).at({1, 2}).head(1).at({3, 4})) ==
             "MULTIPOINT ((1 2), (3 4))");
  BOOST_TEST(wkt(Wkb().head(5).number(1).head(2).number(1).at({1, 2})) == "MULTILINESTRING ((1 2))");
  BOOST_TEST(wkt(Wkb().head(6).number(1).head(3).number(1).number(1).at({1, 2})) == "MULTIPOLYGON (((1 2)))");
  BOOST_TEST(wkt(Wkb().head(7).number(2).head(1).at({1, 2}).head(3).number(0)) ==
             "GEOMETRYCOLLECTION (POINT (1 2), POLYGON EMPTY)");
}

BOOST_AUTO_TEST_CASE(further_dimensions_of_both_dialects) {
  BOOST_TEST(wkt(Wkb().head(1001).at({1, 2, 3})) == "POINT Z (1 2 3)");
  BOOST_TEST(wkt(Wkb().head(2001).at({1, 2, 3})) == "POINT M (1 2 3)");
  BOOST_TEST(wkt(Wkb().head(3001).at({1, 2, 3, 4})) == "POINT ZM (1 2 3 4)");
  BOOST_TEST(wkt(Wkb().head(0x80000001).at({1, 2, 3})) == "POINT Z (1 2 3)");
  BOOST_TEST(wkt(Wkb().head(0x20000001).number(4326).at({1, 2})) == "POINT (1 2)");
}

BOOST_AUTO_TEST_CASE(empty_geometries) {
  BOOST_TEST(wkt(Wkb().head(1).at({NAN, NAN})) == "POINT EMPTY");
  BOOST_TEST(wkt(Wkb().head(1).at({NAN, 1})) == "POINT (NaN 1)");
  BOOST_TEST(wkt(Wkb().head(6).number(0)) == "MULTIPOLYGON EMPTY");
}

BOOST_AUTO_TEST_CASE(numbers_of_both_byte_orders) {
  BOOST_TEST(wkt(std::string_view("\0\0\0\0\1\x3f\xf0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 21)) == "POINT (1 2)");
}

BOOST_AUTO_TEST_CASE(faulty_geometries_are_damaged) {
  const auto fault = [](const Wkb& wkb, const char* words) {
    BOOST_CHECK_EXCEPTION(wkt(wkb), Error, mentions(words));
  };
  fault(Wkb(), "0 bytes left");
  fault(Wkb().head(1).at({1}), "0 bytes left");
  fault(Wkb().head(1).at({1, 2, 3}), "8 bytes after a geometry");
  fault(Wkb().head(2).number(1U << 31), "2147483648 parts in 0 bytes");
  fault(Wkb().head(4).number(1).head(2).number(0), "a LINESTRING in a MULTIPOINT");
  fault(Wkb().head(4001), "type 4001");
  fault(Wkb().head(15), "type 15");
  Wkb deep;
  for (int i = 0; i < 50; ++i) deep.head(7).number(1);
  fault(deep.head(1).at({1, 2}), "nested more than 32 deep");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::parquet
