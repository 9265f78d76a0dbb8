#include "fs/serve/http/byte_ranges.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace plainfs::serve {
namespace {

using Kind = WantedBytes::Kind;

// Returns "0-9 20-29" for parts, "all" and "none".
std::string wanted(std::string_view field, uint64_t size) {
  const WantedBytes bytes = wanted_bytes(field, size);
  if (bytes.kind == Kind::kWhole) return "all";
  if (bytes.kind == Kind::kNone) return "none";
  std::string text;
  for (const ByteRange& part : bytes.parts)
    text += (text.empty() ? "" : " ") + std::to_string(part.first) + "-" + std::to_string(part.last);
  return text;
}

BOOST_AUTO_TEST_SUITE(byte_ranges)

BOOST_AUTO_TEST_CASE(one_range_is_within_the_file) {
  BOOST_TEST(wanted("bytes=0-9", 100) == "0-9");
  BOOST_TEST(wanted("bytes=99-", 100) == "99-99");
  BOOST_TEST(wanted("bytes=90-1000", 100) == "90-99");
  BOOST_TEST(wanted("bytes=-9", 100) == "91-99");
  BOOST_TEST(wanted("bytes=-1000", 100) == "0-99");
  BOOST_TEST(wanted("Bytes = 5-5 ", 100) == "5-5");
}

BOOST_AUTO_TEST_CASE(several_keep_their_order) {
  BOOST_TEST(wanted("bytes=50-59, 0-9 ,-1", 100) == "50-59 0-9 99-99");
  BOOST_TEST(wanted("bytes=0-9,,200-300,20-29", 100) == "0-9 20-29");  // ranges after the end are left out
}

BOOST_AUTO_TEST_CASE(range_after_the_end_is_unsatisfiable) {
  BOOST_TEST(wanted("bytes=100-", 100) == "none");
  BOOST_TEST(wanted("bytes=100-200,300-", 100) == "none");
  BOOST_TEST(wanted("bytes=-0", 100) == "none");
  BOOST_TEST(wanted("bytes=0-", 0) == "none");
  BOOST_TEST(wanted("bytes=-5", 0) == "none");
}

BOOST_AUTO_TEST_CASE(invalid_range_is_ignored) {
  for (const char* const field :
       {"", "bytes", "bytes=", "bytes=,", "lines=0-9", "bytes=9-0", "bytes=a-b", "bytes=0-9x", "bytes=-",
        "bytes=--5", "bytes=0-9,x", "bytes=+1-2", "bytes= 1 - 2", "bytes=0x1-2", "bytes=0-9;20-29"})
    BOOST_TEST(wanted(field, 100) == "all", field);
}

BOOST_AUTO_TEST_CASE(numbers_beyond_64_bits_are_large_numbers) {
  BOOST_TEST(wanted("bytes=1-99999999999999999999999", 100) == "1-99");
  BOOST_TEST(wanted("bytes=18446744073709551616-", 100) == "none");
  BOOST_TEST(wanted("bytes=-18446744073709551616", 100) == "0-99");
  BOOST_TEST(wanted("bytes=0-18446744073709551615", UINT64_MAX) == "0-18446744073709551614");
}

BOOST_AUTO_TEST_CASE(overlapping_ranges_do_not_multiply_reads) {
  std::string field = "bytes=0-0";
  for (size_t i = 1; i < kMaxRanges; ++i) field += "," + std::to_string(2 * i) + "-" + std::to_string(2 * i);
  BOOST_TEST(wanted_bytes(field, 100).parts.size() == kMaxRanges);
  BOOST_TEST(wanted(field + ",99-99", 100) == "all");
  BOOST_TEST(wanted("bytes=0-,0-", 100) == "all");
  BOOST_TEST(wanted("bytes=0-49,0-49", 100) == "0-49 0-49");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
