#include "formats/core/base/probe.h"

#include <sys/stat.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>

#include "formats/core/base/file_pool.h"
#include "tests/support/temporary_directory.h"

using namespace plainfs;

namespace {

struct Directory : TemporaryDirectory {
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << text;
    return path(name);
  }
};

class CountingPool : public FilePool {
 public:
  EntryKind kind_of(const std::string& path) override {
    ++asked[path];
    return FilePool::kind_of(path);
  }
  FilePtr look_into(const std::string& path) override {
    ++opened[path];
    return FilePool::look_into(path);
  }
  std::map<std::string, int> asked, opened;
};

// A disk that fails for paths named "bad".
class FailingPool : public FilePool {
 public:
  EntryKind kind_of(const std::string& path) override {
    if (path.ends_with("/bad")) throw unreadable("{}: Input/output error", path);
    return FilePool::kind_of(path);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(probe)

BOOST_AUTO_TEST_CASE(probe_reports_the_kind_of_a_location) {
  const Directory directory;
  FilePool files;
  const Probe file(directory.write("a", std::string(600, 'x')), files);
  BOOST_TEST(file.is_file());
  BOOST_TEST(file.size() == 600U);
  BOOST_TEST(file.first_bytes().size() == 512U);
  BOOST_TEST(as_text(file.bytes(598, 2)) == "xx");
  BOOST_TEST(file.bytes(598, 3).empty());
  BOOST_TEST(!file.has_file("a"));
  const Probe folder(directory.path(), files);
  BOOST_TEST(folder.is_folder());
  BOOST_TEST(folder.has_file("a"));
  BOOST_TEST(as_text(folder.bytes_of("a", 600)) == std::string(600, 'x'));
  BOOST_TEST(folder.bytes_of("a", 599).empty());
  BOOST_TEST(folder.first_bytes().empty());
  BOOST_TEST((Probe(directory.path("absent"), files).kind() == EntryKind::nothing));
  BOOST_REQUIRE(::mkfifo(directory.path("fifo").c_str(), 0600) == 0);
  BOOST_TEST((Probe(directory.path("fifo"), files).kind() == EntryKind::other));
}

BOOST_AUTO_TEST_CASE(asks_each_question_once) {
  const Directory directory;
  directory.write("version", "1");
  CountingPool files;
  const Probe folder(directory.path(), files);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(folder.has_file("version"));
    BOOST_TEST(!folder.has_file("OBJECT"));
  }
  BOOST_TEST(files.asked[directory.path()] == 1);
  BOOST_TEST(files.asked[directory.path("version")] == 1);
  BOOST_TEST(files.asked[directory.path("OBJECT")] == 1);
  const Probe file(directory.path("version"), files);
  for (int i = 0; i < 3; ++i) file.bytes(0, 1);
  BOOST_TEST(files.opened[directory.path("version")] == 1);
}

BOOST_AUTO_TEST_CASE(unreadable_location_is_not_absent) {
  const Directory directory;
  FailingPool files;
  const auto is_given = [](const Error& error) {
    return error.code() == Errc::unreadable && std::string(error.what()).ends_with("Input/output error");
  };
  BOOST_CHECK_EXCEPTION(Probe(directory.path("bad"), files), Error, is_given);
  const Probe folder(directory.path(), files);
  BOOST_CHECK_EXCEPTION(folder.has_file("bad"), Error, is_given);
  BOOST_CHECK_EXCEPTION(folder.bytes_of("bad", 100), Error, is_given);
}

BOOST_AUTO_TEST_CASE(result_of_a_recogniser_is_kept) {
  const Directory directory;
  FilePool files;
  const Probe probe(directory.path(), files);
  int generated = 0;
  for (int i = 0; i < 3; ++i) BOOST_TEST(probe.once<int>([&] { return ++generated; }) == 1);
  BOOST_TEST(probe.once<std::string>([] { return "of another type"; }) == "of another type");
}

BOOST_AUTO_TEST_CASE(probed_location_may_still_change) {
  const Directory directory;
  FilePool files;
  const std::string path = directory.write("growing.log", "one");
  BOOST_TEST(Probe(path, files).size() == 3U);
  directory.write("growing.log", "one two");
  BOOST_TEST(files.open(path)->size() == 7U);
}

BOOST_AUTO_TEST_SUITE_END()
