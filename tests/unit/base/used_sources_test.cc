#include "formats/core/base/used_sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>
#include <map>

#include "formats/core/base/file_pool.h"
#include "formats/core/base/modified_time.h"
#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

struct Stores {
  TemporaryDirectory directory;
  FilePool pool;
  const std::string path = directory.path("s");

  void write(const std::string& name, const std::string& text) const {
    const boost::filesystem::path file = directory.path(name);
    boost::filesystem::create_directories(file.parent_path());
    std::ofstream(file.string(), std::ios::binary) << text;
  }
  // Waits until earlier writes no longer count as recent.
  static void wait() {
    for (int i = 0; i < 10; ++i) wait_for_file_time();
    ::usleep(25'000);
  }
};

std::map<std::string, std::string> stamps(UsedSources& sources) {
  std::map<std::string, std::string> all;
  const auto stamps = sources.stamps();
  BOOST_REQUIRE(stamps.has_value());
  for (const SourceStamp& stamp : *stamps) all.emplace(stamp.name, stamp.stamp);
  return all;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(used_sources, Stores)

BOOST_AUTO_TEST_CASE(single_file_store_consists_of_the_requested_files) {
  write("s", "abc");
  write("raw", "def");
  write("unused", "ghi");
  wait();
  UsedSources sources(pool, path);
  BOOST_TEST(sources.open(path)->size() == 3u);
  sources.open(directory.path("raw"));
  BOOST_TEST(!sources.open_if_exists(directory.path("absent")));
  const auto before = stamps(sources);
  BOOST_REQUIRE_EQUAL(before.size(), 3u);
  BOOST_TEST(before.at(directory.path("absent")) == "absent");
  for (const auto& [name, stamp] : before) BOOST_TEST(sources.stamp(name).value() == stamp);
  write("unused", "other");
  write("raw", "xyz");
  write("absent", "now");
  BOOST_TEST(sources.stamp(path).value() == before.at(path));
  BOOST_TEST(sources.stamp(directory.path("raw")).value() != before.at(directory.path("raw")));
  BOOST_TEST(sources.stamp(directory.path("absent")).value() != "absent");
}

BOOST_AUTO_TEST_CASE(folder_store_consists_of_whole_folders) {
  write("s/.zarray", "abc");
  write("s/a/0.0", "abc");
  write("s/b/0.0", "abc");
  wait();
  UsedSources sources(pool, path);
  const KeyStorePtr store = sources.open_folder(path);
  BOOST_TEST(store->open(".zarray")->size() == 3u);
  BOOST_TEST(store->open("a/0.0")->size() == 3u);
  BOOST_TEST(!store->open("c/0/1"));
  const auto before = stamps(sources);
  BOOST_REQUIRE_EQUAL(before.size(), 3u);
  BOOST_TEST(before.at(path + "/c/0/") == "absent");
  const std::string a = path + "/a/", root = path + "/";
  write("s/b/0.0", "other");
  BOOST_TEST(sources.stamp(a).value() == before.at(a));
  BOOST_TEST(sources.stamp(root).value() == before.at(root));
  write("s/a/0.1", "a chunk that was not there");
  BOOST_TEST(sources.stamp(a).value() != before.at(a));
  BOOST_TEST(sources.stamp(root).value() == before.at(root));
  write("s/c/0/1", "");
  BOOST_TEST(sources.stamp(path + "/c/0/").value() != "absent");
  BOOST_TEST(sources.stamp(root).value() != before.at(root));
}

BOOST_AUTO_TEST_CASE(replaced_or_rewritten_file_has_another_stamp) {
  write("s/0", "abc");
  wait();
  UsedSources sources(pool, path);
  sources.open(path + "/0");
  const std::string folder = path + "/", before = stamps(sources).at(folder);
  struct stat status {};
  BOOST_REQUIRE_EQUAL(::stat((path + "/0").c_str(), &status), 0);
  write("s/0", "xyz");
  const timespec times[] = {status.st_atim, status.st_mtim};
  BOOST_REQUIRE_EQUAL(::utimensat(AT_FDCWD, (path + "/0").c_str(), times, 0), 0);
  BOOST_TEST(sources.stamp(folder).value() != before);
}

BOOST_AUTO_TEST_CASE(recently_changed_source_has_no_stamps) {
  for (bool was_fast = false; !was_fast;) {
    pool.clear();
    const timespec start = file_time();
    write("s/0", "abc");
    UsedSources at_once(pool, path);
    const timespec end = file_time();
    was_fast = (end.tv_sec - start.tv_sec) * 1'000'000'000 + end.tv_nsec - start.tv_nsec < 10'000'000;
    at_once.open(path + "/0");
    if (was_fast) BOOST_TEST(!at_once.stamps().has_value());
  }
  pool.clear();
  wait();
  UsedSources sources(pool, path);
  sources.open(path + "/0");
  BOOST_TEST(sources.stamps().has_value());
  write("s/1", "new");
  BOOST_TEST(!sources.stamps().has_value());
}

// The times of a file server come from its own clock, which may be slow: they do not show that a requested
// file has changed since.
BOOST_AUTO_TEST_CASE(source_changed_since_its_first_use_has_no_stamps) {
  timespec later = file_time();
  later.tv_sec += 3600;
  const auto changed_by = [&](bool is_folder, const std::function<void()>& change) {
    pool.clear();
    boost::filesystem::remove_all(path);
    write("s/a/0", "abc");
    write("s/a/1", "abc");
    wait();
    const std::string store = is_folder ? path : path + "/a/0";
    UsedSources sources(pool, store, later);
    sources.open(path + "/a/0");
    sources.open(path + "/a/1");
    sources.open_if_exists(path + "/a/2");
    BOOST_TEST(sources.stamps().has_value());
    change();
    return !sources.stamps().has_value();
  };
  for (const bool is_folder : {false, true}) {
    BOOST_TEST(changed_by(is_folder, [&] { write("s/a/0", "xyz"); }));
    BOOST_TEST(changed_by(is_folder, [&] { write("s/a/2", "abc"); }));
    BOOST_TEST(changed_by(is_folder, [&] { boost::filesystem::remove(path + "/a/1"); }));
    BOOST_TEST(!changed_by(is_folder, [] {}));
  }
}

BOOST_AUTO_TEST_CASE(stamps_outlive_a_change_of_metadata) {
  for (const bool is_folder : {false, true}) {
    pool.clear();
    write("s/0", "abc");
    write("s/1", "abc");
    ::chmod((path + "/0").c_str(), 0644);
    wait();
    const std::string file = path + "/0", store = is_folder ? path : file,
                      name = is_folder ? path + "/" : file;
    UsedSources sources(pool, store);
    sources.open(file);
    const SourceStamp before{name, stamps(sources).at(name)};
    wait();
    BOOST_REQUIRE_EQUAL(::chmod(file.c_str(), 0600), 0);
    const std::string after = stamps(sources).at(name);
    BOOST_TEST(is_same_source(before, after));
    // A later session has no explanation for a changed access time.
    const timespec accessed[] = {{1, 0}, {0, UTIME_OMIT}};
    wait();
    BOOST_REQUIRE_EQUAL(::utimensat(AT_FDCWD, file.c_str(), accessed, 0), 0);
    const std::string last = stamps(sources).at(name);
    BOOST_TEST(!is_same_source({name, after}, last));
    wait();
    write("s/0", "xyz");
    BOOST_TEST(!is_same_source(before, sources.stamp(name).value()));
    BOOST_TEST(!sources.stamps().has_value());
  }
}

BOOST_AUTO_TEST_CASE(too_many_sources_have_no_stamps) {
  write("s/0", "abc");
  wait();
  UsedSources sources(pool, path);
  for (int i = 0; i < 100'001; ++i) sources.kind_of(fmt::format("{}/{}/x", path, i));
  BOOST_TEST(!sources.stamps().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
