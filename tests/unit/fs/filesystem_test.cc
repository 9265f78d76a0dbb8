#include "fs/filesystem.h"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "fs/tree/memory_file.h"
#include "tests/support/memory_store.h"
#include "tests/support/mentions.h"
#include "tests/support/no_memory.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

struct Fixture {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::optional<Filesystem> generated;

  Filesystem& files() {
    if (!generated)
      generated.emplace(memory_store(root), Appearance{7, 8, 0, false, {}, {}, false, {}}, context);
    return *generated;
  }
  std::string read(const std::string& path, uint64_t offset = 0, size_t size = 1 << 20) {
    const Slices slices = files().read(files().open(files().find(path)), offset, size);
    Bytes bytes(slices.size());
    slices.copy_to(bytes);
    return std::string(as_text(bytes));
  }
  void add_with_attributes(const std::string& name, Attributes attributes) {
    MemoryGroup group;
    group.add_array(name);
    Node node = group.members().front().node;
    node.attributes = [attributes] { return attributes; };
    root->add(name, node);
  }
};

BOOST_FIXTURE_TEST_SUITE(filesystem, Fixture)

BOOST_AUTO_TEST_CASE(a_file_reads_as_its_view) {
  root->add_array("a", {10, 20, 30});
  BOOST_TEST(read("/a.csv") == "10\n20\n30\n");
  BOOST_TEST(read("a.csv", 3, 4) == "20\n3");
  BOOST_TEST(read("a.csv", 9, 10) == "");
  BOOST_TEST(read("a.csv", 1000, 10) == "");
}

BOOST_AUTO_TEST_CASE(allocation_failure_does_not_last) {
  root->add_array("a", {10, 20, 30}).add_group("g")->add_array("b", {4, 5});
  with_each_allocation_failing(
      [&] {
        generated.reset();
        read("/a.csv");
        read("/g/b.csv");
      },
      [&] {
        if (!generated) return;
        BOOST_TEST(files().list(kRootInode)->entries().size() == 3u);
        BOOST_TEST(read("/a.csv") == "10\n20\n30\n");
        BOOST_TEST(read("/g/b.csv") == "4\n5\n");
      });
}

BOOST_AUTO_TEST_CASE(status_is_exact_and_read_only) {
  root->add_array("a", {10, 20, 30}).add_group("g");
  const struct stat file = files().status(files().find("a.csv"));
  BOOST_TEST(file.st_size == 9);
  BOOST_TEST(file.st_blocks == 1);
  BOOST_TEST(file.st_mode == (S_IFREG | 0644U));
  BOOST_TEST(file.st_uid == 7U);
  BOOST_TEST(file.st_gid == 8U);
  BOOST_TEST(files().status(files().find("g")).st_mode == (S_IFDIR | 0755U));
}

BOOST_AUTO_TEST_CASE(listing_computes_no_size) {
  root->add_array("a").add_array("b");
  files().list(kRootInode);
  BOOST_TEST(context.counters.text_blocks_measured.load() == 0U);
  files().status(files().find("a.csv"));
  BOOST_TEST(context.counters.text_blocks_measured.load() == 1U);
  files().status(files().find("a.csv"));
  BOOST_TEST(context.counters.text_blocks_measured.load() == 1U);
}

BOOST_AUTO_TEST_CASE(known_size_takes_no_pass_over_the_content) {
  root->add_array("a", {10, 20, 30});
  const Inode text = files().find("a.csv"), array = files().find("a.npy");
  BOOST_TEST(!files().status_so_far(text).is_whole);
  BOOST_TEST(files().status_so_far(text).stat.st_size == 0);
  BOOST_TEST(files().status_so_far(text).stat.st_mode == (S_IFREG | 0644U));
  BOOST_TEST(context.counters.text_blocks_measured.load() == 0U);
  BOOST_TEST(files().status_so_far(array).is_whole);
  BOOST_TEST(files().status_so_far(array).stat.st_size == 128 + 12);
  BOOST_TEST(files().status_so_far(kRootInode).is_whole);
  files().status(text);
  BOOST_TEST(files().status_so_far(text).is_whole);
  BOOST_TEST(files().status_so_far(text).stat.st_size == 9);
}

BOOST_AUTO_TEST_CASE(failed_size_is_not_known) {
  root->add("broken", {damaged("as planned"), nullptr, {}, {}});
  const Inode broken = files().find("broken.csv");
  BOOST_TEST(!files().status_so_far(broken).is_whole);
  BOOST_CHECK_EXCEPTION(files().status(broken), Error, mentions("as planned"));
}

BOOST_AUTO_TEST_CASE(concurrent_opens_share_one_pass) {
  root->add_array("a", std::vector<int32_t>(300'000, 7));
  const Inode a = files().find("a.csv");
  const OpenFile first = files().open(a), second = files().open(a);
  BOOST_TEST((first.view == second.view));
  std::vector<std::thread> readers;
  std::atomic<int> right{0};
  for (const OpenFile* file : {&first, &second})
    readers.emplace_back([&, file] { right += files().read(*file, 599'999, 10).size() == 1U; });
  for (std::thread& reader : readers) reader.join();
  BOOST_TEST(right == 2);
  const uint64_t once = context.counters.text_blocks_measured;
  files().status(a);
  BOOST_TEST(context.counters.text_blocks_measured == once);
}

BOOST_AUTO_TEST_CASE(paths_may_hold_dots) {
  root->add_group("g")->add_array("a");
  BOOST_TEST(files().find("/g/./../g/a.csv") == files().find("g/a.csv"));
  BOOST_TEST(files().find("/..") == kRootInode);
}

BOOST_AUTO_TEST_CASE(attributes_are_text_or_compact_json) {
  add_with_attributes("a", {{"unit", "mm"}, {"list", Json::List{"mm"}}, {"n", Json::of(int64_t{3})}});
  const Inode inode = files().find("a.csv");
  BOOST_TEST(files().attribute_names(inode) == (std::vector<std::string>{"user.unit", "user.list", "user.n"}),
             boost::test_tools::per_element());
  BOOST_TEST(files().attribute(inode, "user.unit").value() == "mm");
  BOOST_TEST(files().attribute(inode, "user.list").value() == "[\"mm\"]");
  BOOST_TEST(files().attribute(inode, "user.n").value() == "3");
  BOOST_TEST(!files().attribute(inode, "user.none").has_value());
  BOOST_TEST(!files().attribute(inode, "security.selinux").has_value());
  BOOST_TEST(files().attribute(files().find("a.npy"), "user.unit").value() == "mm");
}

BOOST_AUTO_TEST_CASE(non_utf8_attribute_is_its_bytes_or_a_reason) {
  add_with_attributes("a", {{"unit", "\xb5m"}, {"list", Json::List{"\xb5m"}}});
  const Inode inode = files().find("a.csv");
  BOOST_TEST(files().attribute(inode, "user.unit").value() == "\xb5m");
  BOOST_TEST(files().attribute(inode, "user.list").value() == "{\"error\":\"text that is not UTF-8\"}");
  BOOST_TEST(files().attribute_names(inode).size() == 2u);
}

BOOST_AUTO_TEST_CASE(attributes_too_large_for_linux_are_left_out) {
  add_with_attributes("a", {{"big", std::string(65537, 'x')},
                            {"fits", std::string(65536, 'x')},
                            {std::string(251, 'n'), "long name"},
                            {std::string("nul\0", 4), "nul"},
                            {"", "no name"}});
  BOOST_TEST(files().attribute_names(files().find("a.csv")) == std::vector<std::string>{"user.fits"},
             boost::test_tools::per_element());
  BOOST_TEST(!files().attribute(files().find("a.csv"), "user.big").has_value());
}

BOOST_AUTO_TEST_CASE(the_list_of_attributes_stays_within_64_kib) {
  Attributes many;
  for (int i = 0; i < 1000; ++i) many.push_back({std::to_string(i) + std::string(200, 'n'), "v"});
  add_with_attributes("a", many);
  size_t bytes = 0;
  for (const std::string& name : files().attribute_names(files().find("a.csv"))) bytes += name.size() + 1;
  BOOST_TEST(bytes <= 65536U);
  BOOST_TEST(bytes > 65000U);
}

BOOST_AUTO_TEST_CASE(directories_have_their_attributes) {
  root->add_group("g")->set_attributes({{"title", "liver"}});
  BOOST_TEST(files().attribute(files().find("g"), "user.title").value() == "liver");
}

BOOST_AUTO_TEST_CASE(errors_become_an_errno_and_one_line) {
  std::vector<std::string> lines;
  root->add_array("a");
  files().set_error_log([&](const std::string& line) { lines.push_back(line); });
  const Inode a = files().find("a.csv");
  BOOST_TEST(files().report(a, damaged("chunk 3: short")) == EIO);
  BOOST_TEST(files().report(a, unreadable("gone")) == EIO);
  BOOST_TEST(files().report(a, unsupported("codec x")) == ENOTSUP);
  BOOST_TEST(files().report(a, not_found("x")) == ENOENT);
  BOOST_TEST_REQUIRE(lines.size() == 3U);
  BOOST_TEST(lines.front() == "/a.csv: chunk 3: short");
  BOOST_TEST(files().requests().errors.load() == 3U);
}

BOOST_AUTO_TEST_CASE(hidden_files_are_found_but_not_listed) {
  root->add_array("a");
  int opened = 0;
  files().add_hidden(".plainfs", {{"log", [&opened] {
                                     ++opened;
                                     return std::make_unique<MemoryFile>(std::to_string(opened));
                                   }}});
  const ListingPtr listing = files().list(kRootInode);
  for (const Listing::Entry& entry : listing->entries()) BOOST_TEST(entry.name != ".plainfs");
  const std::vector<Listing::Entry> unlisted = files().list(kRootInode)->unlisted();
  BOOST_TEST(std::count_if(unlisted.begin(), unlisted.end(),
                           [](const auto& entry) { return entry.name == ".plainfs"; }) == 1);
  BOOST_TEST(files().list(files().find(".plainfs"))->entries().size() == 1U);
  BOOST_TEST(read(".plainfs/log") == "1");
  BOOST_TEST(read(".plainfs/log") == "2");
}

BOOST_AUTO_TEST_CASE(a_link_too_long_for_the_kernel_is_an_error) {
  root->add_link("long", std::vector<std::string>(2000, "xyz"));
  BOOST_CHECK_EXCEPTION(files().read_link(files().find("long")), Error, mentions("a link of"));
}

BOOST_AUTO_TEST_CASE(views_are_chosen_by_name) {
  BOOST_TEST(views_named("csv,npy").all.size() >= 2U);
  BOOST_TEST(views_named("").all.empty());
  BOOST_CHECK_EXCEPTION(views_named("csv,xls"), Error, mentions("views=xls: unknown view"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
