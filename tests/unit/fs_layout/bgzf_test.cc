#include "fs/layout/bgzf.h"

#include <libdeflate.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/memory_text.h"

namespace plainfs {

namespace {

std::string framed(const std::string& text) {
  return whole_text(*bgzf_file(std::make_shared<MemoryText>(text)));
}

// Returns the text as decoded by any reader of multi-member gzip. Checks every CRC and length.
std::string inflated(std::string_view file) {
  std::string text;
  libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
  while (!file.empty()) {
    std::string member(1 << 16, '\0');
    size_t used = 0, generated = 0;
    const auto result = libdeflate_gzip_decompress_ex(decompressor, file.data(), file.size(), member.data(),
                                                      member.size(), &used, &generated);
    BOOST_REQUIRE_EQUAL(result, LIBDEFLATE_SUCCESS);
    text += member.substr(0, generated);
    file.remove_prefix(used);
  }
  libdeflate_free_decompressor(decompressor);
  return text;
}

std::string random_text(size_t size, std::mt19937_64& random) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bgzf)

BOOST_AUTO_TEST_CASE(frames_match_the_examples) {
  for (const char* name : {"bgzf/frag.tsv", "bgzf/wheat.tsv"}) {
    const std::string path = std::string("tool-files/") + name;
    BOOST_TEST((framed(test_file(path)) == test_file(path + ".gz")));
  }
  BOOST_TEST((framed(test_file("tool-files/gz/matrix.mtx")) == test_file("tool-files/gz/matrix.bgzf.gz")));
  // Output of `bgzip -l 0` for a file that fits into one member.
  BOOST_TEST(
      (framed(test_file("tool-files/gz/matrix.mtx")) == test_file("tool-files/gz/matrix.bgzip-l0.gz")));
}

BOOST_AUTO_TEST_CASE(any_length_inflates_to_itself) {
  std::mt19937_64 random(1);
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, kBgzfPayload - 1, kBgzfPayload, kBgzfPayload + 1,
                              2 * kBgzfPayload, 3 * kBgzfPayload + 17}) {
    const std::string text = random_text(size, random), file = framed(text);
    BOOST_TEST(file.size() == bgzf_size(size));
    BOOST_TEST((inflated(file) == text));
  }
}

BOOST_AUTO_TEST_CASE(any_slice_equals_that_part_of_the_whole) {
  std::mt19937_64 random(2);
  for (const uint64_t size : {uint64_t{0}, uint64_t{100}, kBgzfPayload, 5 * kBgzfPayload + 99}) {
    const std::string text = random_text(size, random), whole = framed(text);
    const auto file = bgzf_file(std::make_shared<MemoryText>(text, 700));
    BOOST_TEST(slices_match(*file, whole, random, 200));
  }
}

BOOST_AUTO_TEST_CASE(read_builds_only_the_members_it_touches) {
  std::mt19937_64 random(3);
  const auto text = std::make_shared<MemoryText>(random_text(100 * kBgzfPayload, random));
  const auto file = bgzf_file(text);
  const uint64_t member = 50 * (kBgzfPayload + 31);
  file->read(member + 1000, 500);  // up to the end of the text: the checksum after it was not requested
  BOOST_TEST(text->bytes_read() == 1000 - 23 + 500);
  file->read(member + kBgzfPayload + 25, 1);
  BOOST_TEST(text->bytes_read() == 1477 + kBgzfPayload);
  file->read(member + 10, 3);
  file->read(file->size() - 10, 10);
  BOOST_TEST(text->bytes_read() == 1477 + kBgzfPayload);
}

BOOST_AUTO_TEST_CASE(virtual_offsets_name_member_and_byte) {
  const uint64_t size = 2 * kBgzfPayload;
  BOOST_TEST(bgzf_virtual_offset(0, size) == 0u);
  BOOST_TEST(bgzf_virtual_offset(7, size) == 7u);
  BOOST_TEST(bgzf_virtual_offset(kBgzfPayload + 7, size) == ((kBgzfPayload + 31) << 16 | 7));
  BOOST_TEST(bgzf_virtual_offset(size, size) == (2 * (kBgzfPayload + 31)) << 16);
  BOOST_TEST(bgzf_virtual_offset(0, 0) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
