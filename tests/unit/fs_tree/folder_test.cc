// A mirrored folder through Filesystem, with stores of the test data in it.
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "formats/open_store.h"
#include "fs/filesystem.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

namespace disk = boost::filesystem;

struct Fixture {
  TestContext context;
  const disk::path folder = disk::temp_directory_path() / disk::unique_path("plainfs-folder-%%%%%%%%");
  std::optional<Filesystem> generated;

  Fixture() { disk::create_directories(folder); }
  ~Fixture() { disk::remove_all(folder); }

  void write(const std::string& name, const std::string& content) {
    disk::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << content;
  }
  // Adds a BPCells matrix.
  void add_store(const std::string& name) {
    const disk::path from = disk::path(PLAINFS_TEST_DATA) / "bpcells/mat_packed_uint_col/store";
    const disk::path source =
        disk::exists(from) ? from : disk::path(PLAINFS_TEST_DATA) / "bpcells/mat_packed_uint_col/store.dir";
    disk::create_directories(folder / name);
    for (const auto& file : disk::directory_iterator(source))
      disk::copy_file(file.path(), folder / name / file.path().filename());
  }
  Filesystem& files() {
    if (!generated)
      generated.emplace(std::make_shared<const Store>(open_store(folder.string(), context)), Appearance{},
                        context);
    return *generated;
  }
  std::vector<std::string> names(const std::string& path) {
    std::vector<std::string> names;
    const ListingPtr listing = files().list(files().find(path));
    for (const Listing::Entry& entry : listing->entries()) names.push_back(entry.name);
    return names;
  }
  std::string read(const std::string& path) {
    const Slices slices = files().read(files().open(files().find(path)), 0, 1 << 20);
    Bytes bytes(slices.size());
    slices.copy_to(bytes);
    return std::string(as_text(bytes));
  }
  bool is_directory(const std::string& path) { return S_ISDIR(files().status(files().find(path)).st_mode); }
};

BOOST_FIXTURE_TEST_SUITE(mirror, Fixture)

BOOST_AUTO_TEST_CASE(files_and_folders_pass_through) {
  write("b.txt", "bee\n");
  write("sub/c", "sea");
  write("empty", "");
  BOOST_TEST(names("/") == (std::vector<std::string>{"b.txt", "empty", "sub"}),
             boost::test_tools::per_element());
  BOOST_TEST(read("b.txt") == "bee\n");
  BOOST_TEST(read("sub/c") == "sea");
  BOOST_TEST(read("empty") == "");
  BOOST_TEST(is_directory("sub"));
}

BOOST_AUTO_TEST_CASE(git_is_left_out_and_its_annexed_files_are_files) {
  write(".git/config", "[remote]");
  write(".git/annex/objects/aa/MD5E-s4.txt", "text");
  write("sub/.git", "gitdir: ../.git/modules/sub");
  write(".gitattributes", "* annex.largefiles=anything");
  disk::create_symlink("../.git/annex/objects/aa/MD5E-s4.txt", folder / "sub/a.txt");
  disk::create_symlink(".git/annex/objects/bb/MD5E-s5.txt", folder / "dropped.txt");
  disk::create_symlink("sub/a.txt", folder / "again.txt");
  BOOST_TEST(names("/") == (std::vector<std::string>{".gitattributes", "again.txt", "dropped.txt", "sub"}),
             boost::test_tools::per_element());
  BOOST_TEST(names("sub") == std::vector<std::string>{"a.txt"}, boost::test_tools::per_element());
  BOOST_CHECK_THROW(files().find(".git/config"), Error);
  BOOST_TEST(read("sub/a.txt") == "text");
  BOOST_TEST(read("again.txt") == "text");
  BOOST_TEST(S_ISLNK(files().status(files().find("dropped.txt")).st_mode));
}

BOOST_AUTO_TEST_CASE(a_store_is_a_directory_of_its_own_name) {
  add_store("deep/m");
  write("deep/readme", "x");
  BOOST_TEST(is_directory("deep/m"));
  BOOST_TEST(read("deep/m/matrix.mtx").substr(0, 14) == "%%MatrixMarket");
  BOOST_TEST(read("deep/readme") == "x");
}

BOOST_AUTO_TEST_CASE(a_store_is_opened_when_it_is_looked_at) {
  write("m/version", "packed-uint-matrix-v99\n");
  write("m/idxptr", "");
  add_store("good");
  files().list(kRootInode);
  BOOST_TEST(context.warnings().empty());
  is_directory("m");
  BOOST_TEST(context.warnings().size() == 1U);
}

BOOST_AUTO_TEST_CASE(unopenable_store_passes_through_with_a_warning) {
  write("m/version", "packed-uint-matrix-v99\n");
  write("m/idxptr", "");
  write("m/val", "raw");
  write("h.h5", std::string("\x89HDF\r\n\x1a\n", 8) + "nothing more");
  BOOST_TEST(read("m/val") == "raw");
  BOOST_TEST(!is_directory("h.h5"));
  BOOST_TEST(read("h.h5").size() == 20U);
  BOOST_TEST(context.warnings().size() == 2U);
}

BOOST_AUTO_TEST_CASE(damaged_parquet_file_has_no_table) {
  write("cells.parquet", "PAR1, cut off");
  write("part.parquet/notes.txt", "no part is here");
  BOOST_TEST(names("/") == (std::vector<std::string>{"cells.parquet", "part.parquet"}),
             boost::test_tools::per_element());
  BOOST_TEST(read("cells.parquet") == "PAR1, cut off");
  BOOST_TEST_REQUIRE(context.warnings().size() == 1U);
  BOOST_TEST(context.warned("cells.parquet: shown as it is: the file does not end with PAR1"));
}

// Returns a file with a version 0 superblock and no other readable content.
std::string hdf5_file_without_a_root() {
  std::string bytes("\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0\x04\0\x10\0\0\0\0\0", 24);
  const auto address = [&](uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(value >> 8 * i));
  };
  address(0);            // base
  address(~uint64_t{});  // free space
  address(512);          // end of the file
  address(~uint64_t{});  // driver
  address(0);            // the root's name
  address(96);           // the root
  bytes.resize(512, '?');
  return bytes;
}

BOOST_AUTO_TEST_CASE(first_bytes_identify_a_store_without_opening_it) {
  write("h.h5", hdf5_file_without_a_root());
  BOOST_TEST(is_directory("h.h5"));
  BOOST_TEST(context.warnings().empty());
  BOOST_CHECK_THROW(names("h.h5"), Error);
  BOOST_TEST(is_directory("h.h5"));
}

BOOST_AUTO_TEST_CASE(links_within_the_folder_stay_links) {
  write("a/file", "x");
  disk::create_symlink("a/file", folder / "l");
  disk::create_symlink("gone", folder / "dangling");
  BOOST_TEST(files().read_link(files().find("l")) == "a/file");
  BOOST_TEST(files().read_link(files().find("dangling")) == "gone");
}

BOOST_AUTO_TEST_CASE(escaping_links_stay_links_unless_allowed) {
  const disk::path outside =
      disk::canonical(disk::temp_directory_path()) / disk::unique_path("plainfs-outside-%%%%%%%%");
  std::ofstream(outside.string()) << "out";
  disk::create_symlink(outside, folder / "l");
  BOOST_TEST(files().read_link(files().find("l")) == outside.string());
  generated.reset();
  context.context.options.follow_outside = true;
  BOOST_TEST(read("l") == "out");
  disk::remove(outside);
}

BOOST_AUTO_TEST_CASE(permissions_for_others_never_exceed_those_on_disk) {
  write("f", "x");
  write("sub/f", "x");
  const auto mode = [&](const std::string& path) {
    return files().status(files().find(path)).st_mode & 0777;
  };
  disk::permissions(folder / "f", disk::owner_read);
  disk::permissions(folder / "sub", disk::owner_all | disk::group_read | disk::others_all);
  BOOST_TEST(mode("f") == 0644U);
  Appearance appearance;
  appearance.group = 1u << 30;  // not the group of these files
  appearance.is_for_others = true;
  generated.emplace(std::make_shared<const Store>(open_store(folder.string(), context)), appearance, context);
  BOOST_TEST(mode("f") == 0600U);  // the mount is read-only; a copy belongs to its owner
  BOOST_TEST(mode("sub") == 0705U);
}

BOOST_AUTO_TEST_CASE(file_changed_while_mounted_is_an_error_until_reopened) {
  write("f", "old");
  BOOST_TEST(read("f") == "old");
  write("f", "newer");
  BOOST_CHECK_EXCEPTION(read("f"), Error, mentions("has changed since it was mounted"));
  files().reopen();
  BOOST_TEST(read("f") == "newer");
}

BOOST_AUTO_TEST_CASE(a_file_opened_before_reopening_fails) {
  write("f", "old");
  const OpenFile open = files().open(files().find("f"));
  files().reopen();
  BOOST_CHECK_EXCEPTION(files().read(open, 0, 10), Error,
                        mentions("the store was reopened after this file was opened"));
}

BOOST_AUTO_TEST_CASE(past_openings_are_released_unless_a_file_is_open) {
  write("f", "x");
  add_store("s");
  const auto of_each_context = std::make_shared<int>();
  context.context.warn = [of_each_context](const std::string&) {};
  const auto reopen = [&] {
    files().reopen();
    BOOST_TEST(read("f") == "x");
    BOOST_TEST(!read("s/matrix.mtx").empty());
  };
  BOOST_TEST(read("f") == "x");
  const long before = of_each_context.use_count();
  reopen();
  const long of_one = of_each_context.use_count() - before;
  BOOST_TEST_REQUIRE(of_one > 0);
  // The workers may have a job of the opening that has just ended, so it is released with the next one.
  const auto openings_held = [&] {
    for (int i = 0; i < 1000; ++i) {
      reopen();
      if (context.workers.jobs_over() == context.workers.jobs_taken()) break;
    }
    reopen();
    return (of_each_context.use_count() - before) / of_one;
  };
  BOOST_TEST(openings_held() <= 2);
  {
    const OpenFile open = files().open(files().find("s/matrix.mtx"));
    BOOST_TEST(openings_held() == 3);
  }
  BOOST_TEST(openings_held() <= 2);
}

BOOST_AUTO_TEST_CASE(many_stores_are_entered_with_few_kept_open) {
  for (int i = 0; i < 120; ++i) add_store(fmt::format("s{}", i));
  std::string first;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 120; ++i) {
      const std::string text = read(fmt::format("s{}/matrix.mtx", i));
      if (first.empty()) first = text;
      BOOST_TEST_REQUIRE(text == first);
    }
  }
}

BOOST_AUTO_TEST_CASE(inodes_outlive_the_store_they_are_in) {
  for (int i = 0; i < 60; ++i) add_store(fmt::format("s{}", i));
  const Inode inode = files().find("s0/matrix.mtx");
  const off_t size = files().status(inode).st_size;
  for (int i = 1; i < 60; ++i) files().find(fmt::format("s{}/val.csv", i));
  BOOST_TEST(files().status(inode).st_size == size);
  BOOST_TEST(files().find("s0/matrix.mtx") == inode);
  const Slices slices = files().read(files().open(inode), 0, 1 << 20);
  BOOST_TEST(slices.size() == static_cast<size_t>(size));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
