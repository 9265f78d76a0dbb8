#include "formats/core/base/folder_store.h"

#include <atomic>
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/base/file_pool.h"
#include "tests/support/mentions.h"
#include "tests/support/no_more_descriptors.h"
#include "tests/support/temporary_directory.h"

using namespace plainfs;
namespace fs = boost::filesystem;

namespace {

struct Folder : TemporaryDirectory {
  void write(const std::string& key, const std::string& text) const {
    fs::create_directories(fs::path(path(key)).parent_path());
    std::ofstream(path(key), std::ios::binary | std::ios::trunc) << text;
  }
  FilePool files;
  KeyStorePtr open() { return files.open_folder(path()); }
};

std::string text_of(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) {
    const char* kind = entry.kind == EntryKind::folder ? "/" : entry.kind == EntryKind::file ? "" : "?";
    text += entry.name + kind + " ";
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(folder_store)

BOOST_AUTO_TEST_CASE(reads_a_key_or_a_part_of_it) {
  Folder folder;
  folder.write("a/b/c", "0123456789");
  const KeyStorePtr keys = folder.open();
  BOOST_TEST(keys->location() == folder.path());
  const ValuePtr value = keys->open("a/b/c");
  BOOST_REQUIRE(value);
  BOOST_TEST(value->size() == 10U);
  BOOST_TEST(as_text(value->read(3, 4)) == "3456");
  BOOST_TEST(as_text(value->read_all()) == "0123456789");
  BOOST_CHECK_EXCEPTION(value->read(8, 3), Error, mentions("bytes at byte"));
  BOOST_TEST(!keys->open("a/b/absent"));
  BOOST_CHECK_EXCEPTION(keys->open("a/b"), Error, mentions("not a regular file"));
  BOOST_TEST(!keys->read_if_exists("a/d", 10));
  BOOST_TEST(as_text(*keys->read_if_exists("a/b/c", 10)) == "0123456789");
  BOOST_CHECK_EXCEPTION(keys->read_if_exists("a/b/c", 9), Error, [](const Error& error) {
    return std::string(error.what()).find("10 bytes, expected at most 9") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(lists_names_in_byte_order) {
  Folder folder;
  for (const char* key : {"b", "a-b/x", "a/x", "B", ".zattrs"}) folder.write(key, "");
  const KeyStorePtr keys = folder.open();
  BOOST_TEST(text_of(keys->list("")) == ".zattrs B a/ a-b/ b ");
  BOOST_TEST(text_of(keys->list("a")) == "x ");
  BOOST_TEST(keys->folders("") == (std::vector<std::string>{"a", "a-b"}), boost::test_tools::per_element());
  BOOST_TEST(keys->has_folder("a"));
  BOOST_TEST(!keys->has_folder("b"));
  BOOST_CHECK_EXCEPTION(keys->list("absent"), Error, mentions("No such file or directory"));
}

BOOST_AUTO_TEST_CASE(looping_links_are_left_out_and_dangling_ones_listed) {
  Folder folder;
  folder.write("a/x", "");
  fs::create_symlink("..", folder.path("a/back"));
  fs::create_symlink("nowhere", folder.path("dangling"));
  fs::create_symlink("circle", folder.path("circle"));
  fs::create_symlink("a", folder.path("linked"));
  const KeyStorePtr keys = folder.open();
  BOOST_TEST(text_of(keys->list("")) == "a/ circle? dangling? linked/ ");
  BOOST_TEST(text_of(keys->list("a")) == "x ");
}

BOOST_AUTO_TEST_CASE(escaping_links_are_not_listed_through) {
  Folder outside, folder;
  outside.write("secret/x", "");
  folder.write("a/x", "");
  fs::create_symlink(outside.path("secret"), folder.path("folder"));
  fs::create_symlink(outside.path("secret/x"), folder.path("file"));
  FilePool bounded;
  bounded.confine(Containment::of_store(folder.path()));
  const KeyStorePtr keys = bounded.open_folder(folder.path());
  BOOST_TEST(text_of(keys->list("")) == "a/ file? folder? ");
  BOOST_CHECK_EXCEPTION(keys->list("folder"), Error, mentions("outside the store's folder"));
}

BOOST_AUTO_TEST_CASE(lists_a_folder_once_a_descriptor_is_left) {
  Folder folder;
  folder.write("a/x", "");
  const KeyStorePtr keys = folder.open();
  std::atomic<bool> may_list{false}, listed{false}, may_end{false};
  std::string names;
  // Begins and ends with free descriptors: the sanitizers need some to inspect a thread.
  std::thread listing([&] {
    while (!may_list) std::this_thread::yield();
    names = text_of(keys->list("a"));
    listed = true;
    while (!may_end) std::this_thread::yield();
  });
  std::optional<NoMoreDescriptors> none(std::in_place);
  may_list = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(!listed);
  none.reset();
  while (!listed) std::this_thread::yield();
  may_end = true;
  listing.join();
  BOOST_TEST(names == "x ");
}

BOOST_AUTO_TEST_CASE(wait_to_list_a_folder_can_be_cancelled) {
  struct Flag : Request {
    bool cancelled() const override { return true; }
  } flag;
  Folder folder;
  folder.write("a/x", "");
  const KeyStorePtr keys = folder.open();
  const Request::Scope scope(&flag);
  BOOST_CHECK_THROW(check_cancelled(),
                    Cancelled);  // the sanitizers inspect `flag` while there are descriptors
  const NoMoreDescriptors none;
  BOOST_CHECK_THROW(keys->list("a"), Cancelled);
}

BOOST_AUTO_TEST_SUITE_END()
