#include "formats/core/remote/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>

#include "formats/core/remote/block_pool.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

namespace files = boost::filesystem;

constexpr uint64_t kSize = 5 * kBlockBytes + 100;
const std::string kAddress = "https://host/x";

struct Fixture {
  TemporaryDirectory temporary;
  const std::string folder = (files::path(temporary.path()) / "a" / "cache").string();
  std::shared_ptr<DiskCache> cache = std::make_shared<DiskCache>(folder, uint64_t{1} << 30);
  const Version version{kSize, "\"v1\"", "then"};

  static Bytes block(int value, uint64_t size = kBlockBytes) {
    return Bytes(size, static_cast<std::byte>(value));
  }
  static Bytes shown(DiskBlocks& blocks, uint64_t number, uint64_t size = kBlockBytes) {
    Bytes out(size);
    return blocks.read(number, out) ? out : Bytes();
  }
  std::string only_file() const {
    const files::directory_iterator first(folder);
    BOOST_REQUIRE(std::distance(files::directory_iterator(folder), {}) == 1);
    return first->path().string();
  }
};

void flip(const std::string& path, off_t place) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  char byte = 0;
  BOOST_REQUIRE(::pread(file, &byte, 1, place) == 1);
  byte = static_cast<char>(byte ^ 1);
  BOOST_REQUIRE(::pwrite(file, &byte, 1, place) == 1);
  ::close(file);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(disk_cache, Fixture)

BOOST_AUTO_TEST_CASE(blocks_persist_to_a_later_session) {
  BOOST_TEST(!cache->version_of(kAddress).has_value());
  cache->open(kAddress, version)->write(1, block(7));
  cache->open(kAddress, version)->write(5, block(9, 100));
  const DiskBlocksPtr found = std::make_shared<DiskCache>(folder, 1 << 30)->open(kAddress, version);
  BOOST_REQUIRE(found);
  const std::optional<Version> kept = cache->version_of(kAddress);
  BOOST_REQUIRE(kept.has_value());
  BOOST_TEST(kept->size == kSize);
  BOOST_TEST(kept->etag == "\"v1\"");
  BOOST_TEST(kept->last_modified == "then");
  BOOST_TEST((shown(*found, 1) == block(7)));
  BOOST_TEST((shown(*found, 5, 100) == block(9, 100)));
  for (const uint64_t absent : {0, 2, 3, 4, 6, 1000}) BOOST_TEST(!found->has(absent));
  BOOST_TEST((shown(*found, 2) == Bytes()));
}

BOOST_AUTO_TEST_CASE(new_version_shares_no_blocks) {
  const DiskBlocksPtr old = cache->open(kAddress, version);
  old->write(1, block(7));
  for (const Version& other : {Version{kSize, "\"v2\"", "then"}, Version{kSize + 1, "\"v2\"", "then"}}) {
    const DiskBlocksPtr generated = cache->open(kAddress, other);
    BOOST_REQUIRE(generated);
    BOOST_TEST(!generated->has(1));
  }
  BOOST_TEST(cache->version_of(kAddress)->size == kSize + 1);
  // A reader of the old one continues.
  old->write(2, block(8));
  BOOST_TEST((shown(*old, 1) == block(7)));
  BOOST_TEST((shown(*old, 2) == block(8)));
}

BOOST_AUTO_TEST_CASE(weak_versions_and_huge_objects_are_not_kept) {
  for (const std::string etag : {"", "W/\"v1\""})
    BOOST_TEST(!cache->open(kAddress, Version{kSize, etag, "then"}));
  BOOST_TEST(!cache->open(kAddress, Version{0, "\"v1\"", "then"}));
  std::string long_tag(5000, 'v');
  long_tag.front() = long_tag.back() = '"';
  BOOST_TEST(!cache->open(kAddress, Version{kSize, long_tag, "then"}));
  for (const uint64_t size : {(uint64_t{1} << 40) + 1, kLargestObject})
    BOOST_TEST(!cache->open(kAddress, Version{size, "\"v1\"", "then"}));
  BOOST_TEST(files::is_empty(folder));
  BOOST_TEST(cache->open(kAddress, Version{uint64_t{1} << 40, "\"v1\"", "then"}));
}

BOOST_AUTO_TEST_CASE(altered_block_is_absent) {
  const DiskBlocksPtr blocks = cache->open(kAddress, version);
  for (const off_t place : {4096 + 8, 4096 + 11, 8192 + 65536, 8192 + 2 * 65536 - 1}) {
    blocks->write(1, block(7));
    BOOST_TEST(blocks->has(1));
    flip(only_file(), place);
    BOOST_TEST((shown(*blocks, 1) == Bytes()));
    BOOST_TEST(!blocks->has(1));
  }
}

BOOST_AUTO_TEST_CASE(block_beyond_the_end_of_a_cut_file_is_absent) {
  cache->open(kAddress, version)->write(1, block(7));
  cache->open(kAddress, version)->write(5, block(9, 100));
  BOOST_TEST(cache->open(kAddress, version)->has(5));
  BOOST_REQUIRE(::truncate(only_file().c_str(), 8192 + 5 * 65536 + 99) == 0);
  const DiskBlocksPtr cut = cache->open(kAddress, version);
  BOOST_TEST(cut->has(1));
  BOOST_TEST(!cut->has(5));
  cut->write(5, block(9, 100));
  BOOST_TEST((shown(*cache->open(kAddress, version), 5, 100) == block(9, 100)));
}

BOOST_AUTO_TEST_CASE(invalid_cache_file_is_rewritten) {
  for (const off_t place : {0, 16, 20, 24, 30}) {
    cache->open(kAddress, version)->write(1, block(7));
    flip(only_file(), place);
    BOOST_TEST(!cache->version_of(kAddress).has_value());
    BOOST_TEST(!cache->open(kAddress, version)->has(1));
    BOOST_TEST(cache->version_of(kAddress).has_value());
  }
  BOOST_REQUIRE(::truncate(only_file().c_str(), 30) == 0);
  BOOST_TEST(!cache->version_of(kAddress).has_value());
}

BOOST_AUTO_TEST_CASE(cache_stays_within_its_limit) {
  constexpr uint64_t kMax = 16 * kBlockBytes;
  const auto small = std::make_shared<DiskCache>(folder, kMax);
  const auto taken = [&] {
    uint64_t sum = 0;
    for (files::directory_iterator at(folder), end; at != end; ++at) {
      struct stat status {};
      BOOST_REQUIRE(::stat(at->path().c_str(), &status) == 0);
      sum += static_cast<uint64_t>(status.st_blocks) * 512;
    }
    return sum;
  };
  for (int i = 0; i < 20; ++i) {
    const DiskBlocksPtr blocks = small->open(kAddress + std::to_string(i), version);
    for (uint64_t number = 0; number < 5; ++number) blocks->write(number, block(i));
    BOOST_TEST(taken() <= kMax);
  }
  BOOST_TEST(!small->version_of(kAddress + "0").has_value());
  const DiskBlocksPtr last = small->open(kAddress + "19", version);
  BOOST_REQUIRE(last);
  BOOST_TEST((shown(*last, 4) == block(19)));
  // Open objects stay. Others are then not kept.
  std::vector<DiskBlocksPtr> held;
  for (int i = 20; i < 40; ++i) {
    held.push_back(small->open(kAddress + std::to_string(i), version));
    for (uint64_t number = 0; held.back() && number < 5; ++number) held.back()->write(number, block(i));
    BOOST_TEST(taken() <= kMax);
  }
  BOOST_TEST((shown(*held[0], 0) == block(20)));
  BOOST_TEST(!held[19]);
}

BOOST_AUTO_TEST_CASE(uncreatable_folder_is_an_error) {
  const std::string file = (files::path(temporary.path()) / "file").string();
  ::close(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  BOOST_CHECK_EXCEPTION(DiskCache(file, 1), Error, mentions("remote_cache=" + file + ": Not a directory"));
  BOOST_CHECK_EXCEPTION(DiskCache(file + "/below", 1), Error, mentions(": Not a directory"));
}

BOOST_AUTO_TEST_SUITE_END()
