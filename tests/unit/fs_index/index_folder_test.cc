#include "fs/index/index_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "formats/core/base/error.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

Bytes index_of(const std::string& key, size_t size) {
  return encode_index(key, {{"s", "1"}}, {{"a", encode_measured({"x 1", std::vector<uint64_t>(size, 1)})}});
}

size_t files_in(const std::string& folder) {
  const boost::filesystem::directory_iterator begin(folder), end;
  return static_cast<size_t>(std::distance(begin, end));
}

// Sets the time of use to `seconds` ago.
void used_before(const std::string& path, time_t seconds) {
  const timespec then{::time(nullptr) - seconds, 0};
  const timespec times[] = {then, then};
  BOOST_REQUIRE_EQUAL(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

std::string only_file(const std::string& folder) {
  return boost::filesystem::directory_iterator(folder)->path().string();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(index_folder)

BOOST_AUTO_TEST_CASE(folder_is_the_users_cache_from_the_environment) {
  const auto path = [](const char* cache, const char* home) {
    const auto set = [](const char* name, const char* value) {
      value ? ::setenv(name, value, 1) : ::unsetenv(name);
    };
    set("XDG_CACHE_HOME", cache);
    set("HOME", home);
    return IndexFolder::default_path();
  };
  const char* const home = std::getenv("HOME");
  const std::string before = home ? home : "";
  BOOST_TEST(path("/c", "/h") == "/c/plainfs");
  BOOST_TEST(path(nullptr, "/h") == "/h/.cache/plainfs");
  BOOST_TEST(path("relative", "/h") == "/h/.cache/plainfs");
  BOOST_TEST(path("", nullptr) == "");
  BOOST_TEST(path(nullptr, "relative") == "");
  if (home) ::setenv("HOME", before.c_str(), 1);
}

BOOST_AUTO_TEST_CASE(written_index_is_found_for_its_store) {
  const TemporaryDirectory directory;
  const IndexFolder folder(directory.path("a/b"));
  BOOST_TEST(!folder.open("s.h5", "key"));
  folder.write("s.h5", "key", index_of("key", 10));
  folder.write("s.h5", "key", index_of("key", 20));
  BOOST_TEST(folder.open("s.h5", "key")->places().size() == 1u);
  BOOST_TEST(!folder.open("s.h5", "other"));
  BOOST_TEST(files_in(folder.path()) == 1u);
  struct stat status {};
  BOOST_REQUIRE_EQUAL(::stat(folder.path().c_str(), &status), 0);
  BOOST_TEST((status.st_mode & 0777) == 0700u);
  BOOST_REQUIRE_EQUAL(::stat(only_file(folder.path()).c_str(), &status), 0);
  BOOST_TEST((status.st_mode & 0777) == 0600u);
}

BOOST_AUTO_TEST_CASE(names_of_stores_are_safe_and_short) {
  const TemporaryDirectory directory;
  const IndexFolder folder(directory.path("a"));
  for (const std::string& name : {std::string("../x"), std::string(300, 'n'), std::string("")}) {
    folder.write(name, "key" + name, index_of("key" + name, 1));
    BOOST_TEST(folder.open(name, "key" + name)->places().size() == 1u);
  }
  BOOST_TEST(files_in(folder.path()) == 3u);
}

BOOST_AUTO_TEST_CASE(least_recently_used_indexes_are_removed) {
  const TemporaryDirectory directory;
  const IndexFolder folder(directory.path(), 3500);
  const auto write = [&](const std::string& key, time_t seconds) {
    folder.write(key, key, index_of(key, 1000));
    for (const auto& entry : boost::filesystem::directory_iterator(directory.path()))
      if (entry.path().filename().string().starts_with(key)) used_before(entry.path().string(), seconds);
  };
  write("old", 20'000);
  write("older", 30'000);
  write("used", 40'000);
  BOOST_TEST((folder.open("used", "used") != nullptr));
  write("new", 0);
  BOOST_TEST(!folder.open("older", "older"));
  for (const char* const left : {"old", "used", "new"}) BOOST_TEST((folder.open(left, left) != nullptr));
}

BOOST_AUTO_TEST_CASE(unfinished_files_are_removed_and_others_stay) {
  const TemporaryDirectory directory;
  const IndexFolder folder(directory.path(), 1);
  for (const char* const name : {"x.sizes.1-1.part", "y.sizes.1-1.part", "notes.txt"})
    std::ofstream(directory.path(name)) << "x";
  used_before(directory.path("x.sizes.1-1.part"), 100'000);
  used_before(directory.path("notes.txt"), 100'000);
  folder.write("s", "key", index_of("key", 1));
  BOOST_TEST(!boost::filesystem::exists(directory.path("x.sizes.1-1.part")));
  BOOST_TEST(boost::filesystem::exists(directory.path("y.sizes.1-1.part")));
  BOOST_TEST(boost::filesystem::exists(directory.path("notes.txt")));
}

BOOST_AUTO_TEST_CASE(failed_write_is_an_error_and_leaves_nothing) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path("file")) << "x";
  BOOST_CHECK_EXCEPTION(IndexFolder(directory.path("file/x")).write("s", "key", index_of("key", 1)), Error,
                        mentions("file"));
  boost::filesystem::create_directory(directory.path("taken"));
  const IndexFolder folder(directory.path("taken"));
  folder.write("s", "key", index_of("key", 1));
  const std::string file = only_file(folder.path());
  boost::filesystem::remove(file);
  boost::filesystem::create_directory(file);
  BOOST_CHECK_EXCEPTION(folder.write("s", "key", index_of("key", 1)), Error, mentions("Is a directory"));
  BOOST_TEST(files_in(folder.path()) == 1u);
}

BOOST_AUTO_TEST_CASE(reader_sees_one_whole_index_of_concurrent_writers) {
  const TemporaryDirectory directory;
  const IndexFolder folder(directory.path());
  folder.write("s", "key", index_of("key", 1));
  std::atomic<bool> is_over{false};
  const auto write = [&](size_t size) {
    const Bytes bytes = index_of("key", size);
    for (int i = 0; i < 200; ++i) folder.write("s", "key", bytes);
  };
  std::thread reader([&] {
    while (!is_over) {
      const auto file = folder.open("s", "key");
      const size_t size = decode_measured(file->measured(file->places()[0]))->numbers.size();
      if (size != 1 && size != 5000 && size != 90'000) std::abort();
    }
  });
  std::thread other([&] { write(5000); });
  write(90'000);
  other.join();
  is_over = true;
  reader.join();
  BOOST_TEST(files_in(folder.path()) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
