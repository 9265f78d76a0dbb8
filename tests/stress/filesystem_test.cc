// Many threads on one Filesystem with a small cache: every read must equal that of a single reader.
#include "fs/filesystem.h"

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <thread>

#include "formats/open_store.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

constexpr size_t kThreads = 8;

struct Fixture {
  TestContext context{size_t{1} << 20};
  std::optional<Filesystem> files;

  void mount(const std::string& path) {
    const std::string store = PLAINFS_TEST_DATA "/" + path;
    files.emplace(std::make_shared<const Store>(open_store(store, context)), Appearance{}, context);
  }

  // Collects every readable file below `directory`, with its content.
  void collect(Inode directory, const std::string& place, std::map<std::string, std::string>& contents) {
    const ListingPtr listing = files->list(directory);
    for (const Listing::Entry& entry : listing->entries()) {
      const std::string path = place + "/" + entry.name;
      try {
        const FileKind kind = files->kind(entry.inode);
        if (kind == FileKind::directory) collect(entry.inode, path, contents);
        if (kind == FileKind::file) contents[path] = read(path, 0, 1 << 22);
      } catch (const Error&) {
        // damaged parts are not tested here
      }
    }
  }

  std::string read(const std::string& path, uint64_t offset, size_t size) {
    const Slices slices = files->read(files->open(files->find(path)), offset, size);
    Bytes bytes(slices.size());
    slices.copy_to(bytes);
    return std::string(as_text(bytes));
  }

  // Reads random slices for a while. Returns the number of wrong ones.
  size_t read_slices(const std::map<std::string, std::string>& contents, unsigned seed, size_t times,
                     bool may_reopen) {
    std::mt19937 random(seed);
    std::vector<const std::pair<const std::string, std::string>*> all;
    for (const auto& content : contents) all.push_back(&content);
    size_t wrong = 0;
    for (size_t i = 0; i < times; ++i) {
      const auto& [path, want] = *all[random() % all.size()];
      const size_t offset = random() % (want.size() + 2);
      const size_t size = random() % 5000;
      try {
        const std::string got = read(path, offset, size);
        if (got != (offset < want.size() ? want.substr(offset, size) : "")) ++wrong;
        if (files->status(files->find(path)).st_size != static_cast<off_t>(want.size())) ++wrong;
      } catch (const Error& error) {
        const bool was_reopened = error.code() == Errc::unreadable || error.code() == Errc::not_found;
        if (!may_reopen || !was_reopened) ++wrong;
      }
    }
    return wrong;
  }

  size_t read_in_parallel(const std::map<std::string, std::string>& contents, size_t times, bool may_reopen) {
    std::atomic<size_t> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { wrong += read_slices(contents, i, times, may_reopen); });
    }
    for (std::thread& thread : threads) thread.join();
    return wrong;
  }
};

BOOST_FIXTURE_TEST_SUITE(many_threads, Fixture)

BOOST_AUTO_TEST_CASE(read_one_store) {
  for (const std::string store : {"bpcells/mat_packed_uint_col/store", "bpcells/mat_h5_groups/store.h5",
                                  "zarr/v3_sharding/store.zarr"}) {
    mount(store);
    std::map<std::string, std::string> contents;
    collect(kRootInode, "", contents);
    BOOST_TEST(!contents.empty());
    mount(store);
    BOOST_TEST(read_in_parallel(contents, 150, false) == 0U);
  }
}

BOOST_AUTO_TEST_CASE(read_more_stores_of_a_mirror_than_are_kept_open) {
  mount("bpcells");
  std::map<std::string, std::string> contents;
  collect(kRootInode, "", contents);
  mount("bpcells");
  BOOST_TEST(read_in_parallel(contents, 150, false) == 0U);
}

BOOST_AUTO_TEST_CASE(read_while_the_store_is_reopened) {
  mount("bpcells/mat_h5_groups/store.h5");
  std::map<std::string, std::string> contents;
  collect(kRootInode, "", contents);
  std::atomic<bool> done{false};
  std::thread reopener([&] {
    while (!done) {
      files->reopen();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const size_t wrong = read_in_parallel(contents, 150, true);
  done = true;
  reopener.join();
  BOOST_TEST(wrong == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
