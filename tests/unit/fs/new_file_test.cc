#include "fs/commands/one_file/new_file.h"

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "fs/commands/one_file/new_folder.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

void write_text(NewFile& file, std::string_view text) {
  file.part().write_at(0, as_byte_span(text));
}

std::string text_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t entries(const std::string& folder) {
  return static_cast<size_t>(std::distance(boost::filesystem::directory_iterator(folder), {}));
}

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& failure) {
    BOOST_TEST(failure.code() == kNotWritten);
    return failure.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(new_file)

BOOST_AUTO_TEST_CASE(file_takes_its_place_when_it_is_whole) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("a.csv");
  NewFile file(path);
  write_text(file, "abc");
  BOOST_TEST(!boost::filesystem::exists(path));
  file.take_place(2, false);
  BOOST_TEST(text_at(path) == "ab");
  BOOST_TEST(entries(folder.path("")) == 1u);
}

BOOST_AUTO_TEST_CASE(abandoned_file_leaves_nothing) {
  const TemporaryDirectory folder;
  {
    NewFile file(folder.path("a.csv"));
    write_text(file, "abc");
  }
  BOOST_TEST(entries(folder.path("")) == 0u);
}

BOOST_AUTO_TEST_CASE(existing_file_is_replaced_only_on_demand) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("a.csv");
  std::ofstream(path) << "mine";
  {
    NewFile file(path);
    write_text(file, "abc");
    BOOST_TEST(failure_of([&] {
                 file.take_place(3, false);
               }).ends_with("something else was created there in the meantime"));
  }
  BOOST_TEST(text_at(path) == "mine");
  NewFile file(path);
  write_text(file, "abc");
  file.take_place(3, true);
  BOOST_TEST(text_at(path) == "abc");
  BOOST_TEST(entries(folder.path("")) == 1u);
}

BOOST_AUTO_TEST_CASE(second_writer_is_refused) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("a.csv");
  NewFile first(path);
  BOOST_TEST(failure_of([&] { NewFile second(path); }) == path + ": another export is writing it");
  NewFile other(folder.path("b.csv"));
  write_text(first, "1");
  first.take_place(1, false);
  BOOST_TEST(text_at(path) == "1");
}

BOOST_AUTO_TEST_CASE(left_over_part_is_taken_over_empty) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("a.csv");
  std::string part;
  {
    NewFile file(path);
    part = boost::filesystem::directory_iterator(folder.path(""))->path().string();
  }
  std::ofstream(part) << "what a killed export has left";
  NewFile file(path);
  BOOST_TEST(file.part().size() == 0u);
  file.take_place(0, false);
  BOOST_TEST(entries(folder.path("")) == 1u);
}

BOOST_AUTO_TEST_CASE(unsuitable_place_is_refused) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("a.csv"), store = folder.path("store");
  check_place(path, false, store);
  std::ofstream(path) << "mine";
  std::ofstream(store) << "store";
  BOOST_TEST(failure_of([&] { check_place(path, false, store); }) ==
             path + ": already exists; --force replaces it");
  check_place(path, true, store);
  BOOST_TEST(failure_of([&] { check_place(store, true, store); }).find("the store itself") !=
             std::string::npos);
  BOOST_TEST(failure_of([&] { check_place("/dev/null", true, store); }).find("not a regular file") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(folder_takes_its_place_when_it_is_whole) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("a.zarr");
  for (const bool replaces : {false, true}) {
    NewFolder generated(path);
    std::ofstream(generated.folder().path() + "/" + (replaces ? "new" : "old")) << "x";
    generated.take_place(replaces);
  }
  BOOST_TEST(boost::filesystem::exists(path + "/new"));
  BOOST_TEST(!boost::filesystem::exists(path + "/old"));
  { NewFolder given_up(folder.path("b.zarr")); }
  BOOST_TEST(entries(folder.path("")) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
