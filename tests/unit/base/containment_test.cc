#include "formats/core/base/containment.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

namespace disk = boost::filesystem;

// DIR/store/inside, DIR/store/deep/file, DIR/beside, DIR/store-too/file
struct Fixture {
  TemporaryDirectory directory;
  const std::string root = directory.path();
  const std::string store = root + "/store";

  Fixture() {
    for (const char* folder : {"/store/deep", "/store-too"}) disk::create_directories(root + folder);
    for (const char* file : {"/store/inside", "/store/deep/file", "/beside", "/store-too/file"})
      std::ofstream(root + file) << file;
  }
  void link(const std::string& name, const std::string& target) { disk::create_symlink(target, root + name); }
  // Returns 0, or the reason for a refusal.
  static int error_of(const Containment& bounds, const std::string& path) {
    const int descriptor = bounds.open(path, O_RDONLY);
    if (descriptor < 0) return errno;
    ::close(descriptor);
    return 0;
  }
};

BOOST_FIXTURE_TEST_SUITE(containment, Fixture)

BOOST_AUTO_TEST_CASE(without_bounds_every_path_is_opened) {
  const Containment all;
  BOOST_TEST(error_of(all, root + "/beside") == 0);
  BOOST_TEST(all.contains("/etc/passwd"));
  BOOST_TEST(!all.is_bounded());
}

BOOST_AUTO_TEST_CASE(folder_contains_itself_and_its_descendants) {
  const auto bounds = Containment::of_store(store);
  for (const char* path : {"/inside", "/deep/file", "/deep/../inside", "/./inside", "//inside"}) {
    BOOST_TEST_CONTEXT(path) {
      BOOST_TEST(error_of(bounds, store + path) == 0);
      BOOST_TEST(bounds.contains(store + path));
    }
  }
  BOOST_TEST(bounds.contains(store));
}

BOOST_AUTO_TEST_CASE(escaping_names_are_refused) {
  const auto bounds = Containment::of_store(store);
  for (const std::string& path : {store + "/../beside", root + "/beside", root + "/store-too/file",
                                  std::string("/etc/passwd"), std::string("/proc/self/environ")}) {
    BOOST_TEST_CONTEXT(path) {
      BOOST_TEST(error_of(bounds, path) == EXDEV);
      BOOST_TEST(!bounds.contains(path));
    }
  }
}

BOOST_AUTO_TEST_CASE(links_are_followed_inside_and_refused_outside) {
  link("/store/in", "deep/file");
  link("/store/in_absolute", store + "/deep/file");
  link("/store/out", "../beside");
  link("/store/out_absolute", "/etc/passwd");
  link("/store/folder_out", "../store-too");
  link("/store/there_and_back", "../store/inside");
  link("/store/over", "out");
  const auto bounds = Containment::of_store(store);
  for (const char* path : {"/in", "/in_absolute", "/there_and_back"})
    BOOST_TEST(error_of(bounds, store + path) == 0, path);
  for (const char* path : {"/out", "/out_absolute", "/folder_out/file", "/over"}) {
    BOOST_TEST(error_of(bounds, store + path) == EXDEV, path);
    BOOST_TEST(!bounds.contains(store + path), path);
  }
}

BOOST_AUTO_TEST_CASE(absent_path_is_absent_and_not_refused) {
  link("/store/dangling", "gone");
  const auto bounds = Containment::of_store(store);
  for (const char* path : {"/gone", "/gone/deeper", "/dangling"}) {
    BOOST_TEST(error_of(bounds, store + path) == ENOENT, path);
    BOOST_TEST(bounds.contains(store + path), path);
  }
}

BOOST_AUTO_TEST_CASE(single_file_store_may_use_its_folder) {
  const auto bounds = Containment::of_store(store + "/inside");
  BOOST_TEST(error_of(bounds, store + "/inside") == 0);
  BOOST_TEST(error_of(bounds, store + "/deep/file") == 0);
  BOOST_TEST(error_of(bounds, root + "/beside") == EXDEV);
}

BOOST_AUTO_TEST_CASE(linked_store_may_use_both_folders) {
  link("/named", "store/deep/file");
  const auto bounds = Containment::of_store(root + "/named");
  BOOST_TEST(error_of(bounds, root + "/named") == 0);
  BOOST_TEST(error_of(bounds, root + "/beside") == 0);
  const Containment deep = Containment::of_store(store + "/deep/file");
  BOOST_TEST(error_of(deep, root + "/beside") == EXDEV);
}

BOOST_AUTO_TEST_CASE(folder_named_through_a_link_holds_the_same) {
  link("/named", "store");
  const auto bounds = Containment::of_store(root + "/named");
  BOOST_TEST(error_of(bounds, root + "/named/inside") == 0);
  BOOST_TEST(error_of(bounds, store + "/inside") == 0);
  BOOST_TEST(error_of(bounds, root + "/beside") == EXDEV);
}

BOOST_AUTO_TEST_CASE(the_folder_around_a_store_holds_its_neighbours) {
  const auto bounds = Containment::around_store(store);
  BOOST_TEST(bounds.contains(root + "/store-too/file"));
  BOOST_TEST(!bounds.contains("/etc/passwd"));
}

BOOST_AUTO_TEST_CASE(unreadable_folder_is_not_taken_for_empty) {
  const Containment bounds = Containment::of_store(store);
  disk::permissions(root, disk::no_perms);
  const bool is_root = ::geteuid() == 0;
  if (is_root) BOOST_REQUIRE(::seteuid(65534) == 0);
  const auto is_unreadable = [](const Error& error) { return error.code() == Errc::unreadable; };
  BOOST_CHECK_EXCEPTION(Containment::of_store(store), Error, is_unreadable);
  BOOST_CHECK_EXCEPTION(Containment::around_store(store + "/deep"), Error, is_unreadable);
  BOOST_CHECK_EXCEPTION(bounds.contains(store + "/inside"), Error, is_unreadable);
  if (is_root) BOOST_REQUIRE(::seteuid(0) == 0);
  disk::permissions(root, disk::owner_all);
}

BOOST_AUTO_TEST_CASE(refusal_names_the_path) {
  const auto bounds = Containment::of_store(store);
  BOOST_CHECK_NO_THROW(bounds.check(store + "/inside"));
  BOOST_CHECK_EXCEPTION(bounds.check(root + "/beside"), Error, [&](const Error& error) {
    return error.code() == Errc::unreadable &&
           std::string(error.what()).starts_with(root + "/beside: outside");
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
