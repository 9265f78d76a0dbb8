#include "fs/layout/zip_file.h"

#include <libdeflate.h>

#include <boost/test/unit_test.hpp>

#include "formats/core/base/cursor.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/memory_sink.h"
#include "tests/unit/fs_layout/memory_text.h"

namespace plainfs {

namespace {

// A file of zeros of any size.
class ZeroFile : public ViewFile {
 public:
  explicit ZeroFile(uint64_t size) : size_(size) {}
  uint64_t size() override { return size_; }
  Slices read(uint64_t offset, size_t size) override {
    static const std::string kZeros(1 << 20, '\0');
    Slices slices;
    for (uint64_t rest = std::min<uint64_t>(size, size_ - offset); rest > 0;) {
      const uint64_t some = std::min<uint64_t>(rest, kZeros.size());
      slices.add(as_byte_span(kZeros).first(some), nullptr);
      rest -= some;
    }
    return slices;
  }

 private:
  const uint64_t size_;
};

template <class T>
T number_at(std::string_view bytes, size_t at) {
  return load_little<T>(reinterpret_cast<const std::byte*>(bytes.data() + at));
}

// Returns the names and contents of an archive's members, found by its directory. Checks every header.
std::vector<std::pair<std::string, std::string>> unzipped(const std::string& zip) {
  std::vector<std::pair<std::string, std::string>> members;
  const size_t end = zip.size() - 22;
  BOOST_REQUIRE(number_at<uint32_t>(zip, end) == 0x06054b50);
  size_t at = number_at<uint32_t>(zip, end + 16);
  for (uint16_t i = 0; i < number_at<uint16_t>(zip, end + 10); ++i) {
    BOOST_REQUIRE(number_at<uint32_t>(zip, at) == 0x02014b50);
    const auto method = number_at<uint16_t>(zip, at + 10), length = number_at<uint16_t>(zip, at + 28);
    const auto crc = number_at<uint32_t>(zip, at + 16), stored = number_at<uint32_t>(zip, at + 20),
               plain = number_at<uint32_t>(zip, at + 24), begin = number_at<uint32_t>(zip, at + 42);
    const std::string name = zip.substr(at + 46, length);
    at += 46 + length;
    BOOST_TEST(number_at<uint32_t>(zip, begin) == 0x04034b50);
    BOOST_TEST(zip.substr(begin + 4, 22) == zip.substr(at - length - 46 + 6, 22));
    BOOST_TEST(zip.substr(begin + 30, length) == name);
    std::string content = zip.substr(begin + 30 + length, stored);
    if (method == 8) {
      std::string inflated(plain, '\0');
      libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
      BOOST_TEST(libdeflate_deflate_decompress(decompressor, content.data(), content.size(), inflated.data(),
                                               plain, nullptr) == LIBDEFLATE_SUCCESS);
      libdeflate_free_decompressor(decompressor);
      content = inflated;
    }
    BOOST_TEST(content.size() == plain);
    BOOST_TEST(libdeflate_crc32(0, content.data(), content.size()) == crc);
    members.emplace_back(name, content);
  }
  BOOST_TEST(at == end);
  return members;
}

std::vector<ZipMember> three_members(const std::string& large) {
  return {{"empty"},
          {"a/short.xml", "head,", std::make_shared<MemoryText>("body"), ",tail"},
          {"large", "", std::make_shared<MemoryText>(large)}};
}

std::string random_letters(size_t size, std::mt19937_64& random) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>('a' + random() % 4);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(zip_archive)

BOOST_AUTO_TEST_CASE(members_are_found_by_the_directory) {
  TestContext context;
  std::mt19937_64 random(1);
  const std::string large = random_letters(3'000'000, random);
  const auto file = zip_file([&] { return three_members(large); }, context);
  const std::string stored = whole_text(*file);
  const std::string packed = packed_bytes(*file->packed(), 6);
  BOOST_TEST(packed.size() < stored.size() / 2);
  for (const std::string& zip : {stored, packed}) {
    const auto members = unzipped(zip);
    BOOST_REQUIRE(members.size() == 3);
    BOOST_TEST((members[0] == std::pair<std::string, std::string>("empty", "")));
    BOOST_TEST((members[1] == std::pair<std::string, std::string>("a/short.xml", "head,body,tail")));
    BOOST_TEST((members[2] == std::pair<std::string, std::string>("large", large)));
  }
}

BOOST_AUTO_TEST_CASE(any_part_of_an_archive_is_read) {
  TestContext context;
  std::mt19937_64 random(2);
  const std::string large = random_letters(5000, random);
  const auto file = zip_file([&] { return three_members(large); }, context);
  const std::string whole = whole_text(*file);
  BOOST_TEST(slices_match(*file, whole, random, 300));
}

BOOST_AUTO_TEST_CASE(data_are_read_without_checksums) {
  TestContext context;
  const auto text = std::make_shared<MemoryText>(std::string(100'000, 'x'));
  const auto file = zip_file([&] { return std::vector<ZipMember>{{"x", "", text}}; }, context);
  BOOST_TEST(file->size() > 100'000u);
  BOOST_TEST(text->bytes_read() == 0u);
  BOOST_TEST(read_text(*file, 50'000, 10) == "xxxxxxxxxx");
  BOOST_TEST(text->bytes_read() == 10u);
}

BOOST_AUTO_TEST_CASE(large_members_and_places_are_in_zip64) {
  TestContext context;
  constexpr uint64_t kLarge = (uint64_t{1} << 32) + 5;
  const auto file = zip_file(
      [&] {
        return std::vector<ZipMember>{{"z", "", std::make_shared<ZeroFile>(kLarge)}, {"after", "text"}};
      },
      context);
  const uint64_t second = 30 + 1 + 20 + kLarge, directory = second + 30 + 5 + 4;
  const uint64_t entries = (46 + 1 + 4 + 16) + (46 + 5 + 4 + 8);
  BOOST_REQUIRE(file->size() == directory + entries + 56 + 20 + 22);
  const std::string first = read_text(*file, 0, 51);
  BOOST_TEST(number_at<uint16_t>(first, 4) == 45);
  BOOST_TEST(number_at<uint32_t>(first, 18) == 0xffffffffu);
  BOOST_TEST(number_at<uint64_t>(first, 35) == kLarge);
  BOOST_TEST(number_at<uint64_t>(first, 43) == kLarge);
  const std::string end = read_text(*file, directory, 1000);
  BOOST_TEST(number_at<uint64_t>(end, 46 + 1 + 4) == kLarge);
  BOOST_TEST(number_at<uint64_t>(end, 46 + 1 + 4 + 16 + 46 + 5 + 4) == second);
  BOOST_TEST(number_at<uint32_t>(end, entries) == 0x06064b50u);
  BOOST_TEST(number_at<uint64_t>(end, entries + 48) == directory);
  BOOST_TEST(number_at<uint64_t>(end, entries + 56 + 8) == directory + entries);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
