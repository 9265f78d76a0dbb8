#include "formats/containers/netcdf/header.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#endif

#include "formats/open_store.h"
#include "tests/support/bytes_file.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs::netcdf {
namespace {

std::string word(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string name(std::string text) {
  const std::string length = word(static_cast<uint32_t>(text.size()));
  text.resize((text.size() + 3) / 4 * 4, '\0');
  return length + text;
}

// One record variable of int16 along the record dimension and x.
struct Parts {
  std::string magic = "CDF\1", records = word(2);
  std::string dimensions = word(10) + word(2) + name("t") + word(0) + name("x") + word(3);
  std::string attributes = word(0) + word(0);
  std::string rank = word(2), numbers = word(0) + word(1), type = word(3), begin = word(128);

  std::string bytes() const {
    std::string all = magic + records + dimensions + attributes + word(11) + word(1) + name("s") + rank +
                      numbers + word(0) + word(0) + type + word(8) + begin;
    all.resize(std::max<size_t>(all.size(), 140), '\0');
    return all;
  }
};

Header header_of(const Parts& parts) {
  return read_header(BytesFile(parts.bytes()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(netcdf_header)

BOOST_AUTO_TEST_CASE(records_of_the_only_record_variable_are_not_padded) {
  const Header header = header_of({});
  BOOST_TEST(header.record_size == 6u);
  BOOST_TEST((header.shape_of(header.variables.at(0)) == Shape{2, 3}));
}

BOOST_AUTO_TEST_CASE(records_of_a_stream_follow_from_the_file_size) {
  Parts parts;
  parts.records = word(UINT32_MAX);
  BOOST_TEST(header_of(parts).dimensions[0].length == 2u);
}

BOOST_AUTO_TEST_CASE(nul_inside_a_name_ends_it) {
  Parts parts;
  parts.dimensions = word(10) + word(2) + name(std::string("t\0", 2)) + word(0) + name("x") + word(3);
  BOOST_TEST(header_of(parts).dimensions[0].name == "t");
}

BOOST_AUTO_TEST_CASE(header_cut_off_is_damaged) {
  const std::string bytes = Parts().bytes();
  for (size_t size = 4; size < 96; ++size)
    BOOST_CHECK_THROW(read_header(BytesFile(bytes.substr(0, size))), Error);
}

BOOST_AUTO_TEST_CASE(count_beyond_the_file_is_damaged) {
  Parts parts;
  parts.dimensions = word(10) + word(UINT32_MAX);
  BOOST_CHECK_EXCEPTION(header_of(parts), Error, mentions("items, more than fit into the file"));
}

BOOST_AUTO_TEST_CASE(unknown_type_is_damaged) {
  Parts parts;
  parts.type = word(7);  // of CDF-5
  BOOST_CHECK_EXCEPTION(header_of(parts), Error, mentions("unknown NetCDF classic type 7"));
}

BOOST_AUTO_TEST_CASE(missing_dimension_is_damaged) {
  Parts parts;
  parts.numbers = word(0) + word(2);
  BOOST_CHECK_EXCEPTION(header_of(parts), Error, mentions("dimension 2, but there are 2"));
}

BOOST_AUTO_TEST_CASE(two_record_dimensions_are_damaged) {
  Parts parts;
  parts.dimensions = word(10) + word(2) + name("t") + word(0) + name("x") + word(0);
  BOOST_CHECK_EXCEPTION(header_of(parts), Error, mentions("more than one record dimension"));
}

BOOST_AUTO_TEST_CASE(record_dimension_after_another_is_damaged) {
  Parts parts;
  parts.numbers = word(1) + word(0);
  BOOST_CHECK_EXCEPTION(header_of(parts), Error, mentions("the record dimension as dimension 1"));
}

BOOST_AUTO_TEST_CASE(large_attributes_are_read_from_the_file_on_request) {
  Parts parts;
  std::string numbers, expected = "[";
  for (uint32_t i = 0; i < 70'000; ++i) {
    numbers += word(i);
    expected += (i ? "," : "") + std::to_string(i);
  }
  parts.attributes = word(12) + word(3) + name("n") + word(4) + word(70'000) + numbers + name("t") + word(2) +
                     word(5001) + std::string(5001, 'x') + std::string(3, '\0') + name("s") + word(3) +
                     word(1) + std::string("\0\7\0\0", 4);
  const auto file = std::make_shared<BytesFile>(parts.bytes());
  const Header header = read_header(*file);
  BOOST_TEST(header.attributes.at(0).elements.empty());
  const Attributes attributes = attributes_of(header.attributes, file);
  BOOST_TEST(!attributes[0].known());
  BOOST_TEST(to_json_text(attributes[0].value()) == expected + "]");
  BOOST_TEST(*attributes.text("t") == std::string(5001, 'x'));
  BOOST_TEST(*attributes.number("s") == 7);
  BOOST_TEST(header.variables.at(0).name == "s");
}

BOOST_AUTO_TEST_CASE(large_attribute_cut_off_is_damaged) {
  Parts parts;
  parts.attributes = word(12) + word(1) + name("n") + word(4) + word(70'000) + std::string(5000, '\0');
  BOOST_CHECK_EXCEPTION(header_of(parts), Error, mentions("expected at least 280"));
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
// Returns the memory that a store with so many variables takes.
size_t bytes_held(uint32_t variables) {
  std::string all = "CDF\1" + word(0) + word(10) + word(1) + name("x") + word(1) + word(0) + word(0) +
                    word(11) + word(variables);
  for (uint32_t i = 0; i < variables; ++i)
    all +=
        name("v" + std::to_string(i)) + word(1) + word(0) + word(0) + word(0) + word(1) + word(4) + word(0);
  const TemporaryDirectory folder;
  std::ofstream(folder.path("s.nc"), std::ios::binary) << all;
  TestContext context;
  const size_t before = mallinfo2().uordblks;
  const Store store = open_store(folder.path("s.nc"), context);
  BOOST_TEST(store.root.parts->members().size() == variables);
  return mallinfo2().uordblks - before;
}

BOOST_AUTO_TEST_CASE(large_number_of_variables_takes_little_memory) {
  constexpr uint32_t kFew = 1000, kMany = 4000;
  const size_t few = bytes_held(kFew), many = bytes_held(kMany);
  BOOST_TEST_MESSAGE("bytes of a variable: " << (many - few) / (kMany - kFew));
  BOOST_TEST(many - few < (kMany - kFew) * size_t{2500});
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::netcdf
