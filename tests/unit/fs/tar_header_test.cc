#include "fs/commands/tar_header.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/base/modified_time.h"

namespace plainfs {
namespace {

struct stat file_of(int64_t size, timespec time) {
  struct stat status {};
  status.st_mode = S_IFREG | 0644;
  status.st_size = size;
  set_times(status, time);
  return status;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

BOOST_AUTO_TEST_SUITE(tar_header_)

BOOST_AUTO_TEST_CASE(header_within_ustar_takes_one_block) {
  const std::string header = tar_header("a/b.csv", file_of(8, {1000, 0}));
  BOOST_REQUIRE_EQUAL(header.size(), kTarBlock);
  BOOST_CHECK_EQUAL(header.c_str(), "a/b.csv");
  BOOST_CHECK_EQUAL(header.substr(124, 11), "00000000010");
  BOOST_CHECK_EQUAL(header.substr(136, 11), "00000001750");
  BOOST_CHECK_EQUAL(header.substr(257, 5), "ustar");
}

BOOST_AUTO_TEST_CASE(sizes_of_8_gib_and_more_are_records) {
  const int64_t most = (int64_t{1} << 33) - 1;
  BOOST_CHECK_EQUAL(tar_header("a", file_of(most, {1, 0})).size(), kTarBlock);
  const std::string header = tar_header("a", file_of(most + 1, {1, 0}));
  BOOST_CHECK_EQUAL(header.size(), 3 * kTarBlock);
  BOOST_CHECK(has(header, "19 size=8589934592\n"));
}

BOOST_AUTO_TEST_CASE(a_record_counts_its_own_length) {
  // The shortest path that makes the record's length gain a digit, and thus one more byte.
  for (const size_t length : {101u, 989u, 990u, 991u, 992u, 993u}) {
    const std::string path(length, 'p');
    const std::string header = tar_header(path, file_of(0, {1, 0}));
    const std::string record = header.substr(kTarBlock, header.find('\n', kTarBlock) + 1 - kTarBlock);
    BOOST_CHECK_EQUAL(record.size(), std::stoul(record));
    BOOST_CHECK(record.ends_with("path=" + path + "\n"));
  }
}

BOOST_AUTO_TEST_CASE(subseconds_and_non_ascii_names_are_records) {
  BOOST_CHECK(has(tar_header("a", file_of(0, {5, 7})), "21 mtime=5.000000007\n"));
  BOOST_CHECK(has(tar_header("\xc3\xa4", file_of(0, {5, 0})), "path=\xc3\xa4\n"));
}

BOOST_AUTO_TEST_CASE(padding_fills_blocks) {
  BOOST_CHECK_EQUAL(tar_padding(0), 0u);
  BOOST_CHECK_EQUAL(tar_padding(1), 511u);
  BOOST_CHECK_EQUAL(tar_padding(512), 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
