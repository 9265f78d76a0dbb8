#include "fs/tree/tree.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "formats/core/model/node.h"
#include "fs/filesystem.h"
#include "fs/tree/memory_file.h"
#include "fs/views/names.h"
#include "tests/support/memory_store.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

using Names = std::vector<std::string>;

struct Fixture {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::string subdir;
  std::shared_ptr<Inodes> inodes = std::make_shared<Inodes>();
  std::optional<Tree> generated;

  Tree& tree() {
    if (!generated) generated.emplace(memory_store(root), subdir, default_views(), context, inodes);
    return *generated;
  }
  Inode find(const std::string& path) { return tree().find(path); }
  Names names(const std::string& path = "") {
    Names names;
    const ListingPtr listing = tree().list(find(path));
    for (const Listing::Entry& entry : listing->entries()) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string link(const std::string& path) { return tree().target(find(path)); }
};

BOOST_FIXTURE_TEST_SUITE(tree, Fixture)

BOOST_AUTO_TEST_CASE(arrays_are_files_and_groups_directories) {
  root->add_array("a").add_text("t").add_group("g")->add_array("b");
  BOOST_TEST(names() == (Names{"a.csv", "a.npy", "g", "t.csv"}), boost::test_tools::per_element());
  BOOST_TEST(names("g") == (Names{"b.csv", "b.npy"}), boost::test_tools::per_element());
  BOOST_CHECK(tree().kind(find("g")) == FileKind::directory);
  BOOST_CHECK(tree().kind(find("a.csv")) == FileKind::file);
}

BOOST_AUTO_TEST_CASE(file_too_large_for_stat_is_unsupported) {
  class Vast : public Array {
   public:
    Vast() : Array(number_type(Kind::integer, 1), {uint64_t{1} << 63}) {}
    Elements read(const Box&) const override { throw damaged("not to be read"); }
  };
  root->add("a", {LabelledArray{std::make_shared<Vast>(), nullptr, nullptr}, nullptr, {}, {}});
  BOOST_TEST(message_of([&] { tree().size(find("a.npy")); }) ==
             "a file of 9223372036854775936 bytes is too large");
}

BOOST_AUTO_TEST_CASE(inodes_are_stable_and_distinct) {
  root->add_array("a").add_group("g")->add_array("a");
  const Inode a = find("a.csv");
  BOOST_TEST(find("g/a.csv") != a);
  BOOST_TEST(find("a.csv") == a);
  BOOST_TEST(inodes->path(find("g/a.csv")) == "/g/a.csv");
  BOOST_TEST(inodes->path(kRootInode) == "/");
}

BOOST_AUTO_TEST_CASE(a_directory_is_listed_once) {
  auto group = root->add_group("g");
  group->add_array("a");
  names("g");
  const int before = group->times_listed();
  names("g");
  find("g/a.csv");
  BOOST_TEST(group->times_listed() == before);
}

BOOST_AUTO_TEST_CASE(listing_a_directory_does_not_list_its_groups) {
  auto group = root->add_group("g");
  names();
  BOOST_TEST(group->times_listed() == 0);
}

BOOST_AUTO_TEST_CASE(unlistable_group_fails_alone) {
  auto broken = root->add_group("broken");
  root->add_array("a");
  broken->break_with(damaged("no symbol table"));
  BOOST_TEST(names() == (Names{"a.csv", "a.npy", "broken"}), boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(tree().list(find("broken")), Error, mentions("no symbol table"));
  BOOST_CHECK(tree().kind(find("broken")) == FileKind::directory);
  broken->break_with(std::nullopt);
  BOOST_TEST(names("broken").empty());
}

BOOST_AUTO_TEST_CASE(unopenable_member_is_listed_and_fails) {
  root->add("bad", {damaged("no header"), nullptr, {}, {}});
  const Names all = names();
  BOOST_TEST_REQUIRE(!all.empty());
  for (const std::string& name : all) {
    BOOST_TEST(name.substr(0, 3) == "bad");
    const Inode inode = find(name);
    if (tree().kind(inode) == FileKind::directory)
      BOOST_CHECK_THROW(tree().list(inode), Error);
    else
      BOOST_CHECK_EXCEPTION(tree().size(inode), Error, mentions("no header"));
  }
}

BOOST_AUTO_TEST_CASE(absent_names_are_not_found) {
  root->add_array("a");
  BOOST_CHECK_EXCEPTION(find("b"), Error, [](const Error& error) { return error.code() == Errc::not_found; });
  BOOST_CHECK_EXCEPTION(find("a.csv/x"), Error,
                        [](const Error& error) { return error.code() == Errc::not_found; });
  BOOST_CHECK_EXCEPTION(tree().kind(1'000'000), Error, mentions("does not exist"));
  BOOST_CHECK_EXCEPTION(tree().kind(0), Error, mentions("does not exist"));
}

BOOST_AUTO_TEST_CASE(single_array_store_shows_it_as_array) {
  Store store;
  store.path = "/nowhere/x.zarr";
  MemoryGroup group;
  group.add_array("a");
  store.root = group.members().front().node;
  generated.emplace(std::make_shared<const Store>(store), "", default_views(), context, inodes);
  BOOST_TEST(names() == (Names{"array.csv", "array.npy"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_link_to_an_array_has_its_views) {
  root->add_array("a").add_link("l", {"a"}).add_group("g")->add_link("up", {"a"});
  BOOST_TEST(names() == (Names{"a.csv", "a.npy", "g", "l.csv", "l.npy"}), boost::test_tools::per_element());
  BOOST_TEST(link("l.npy") == "a.npy");
  BOOST_TEST(link("g/up.csv") == "../a.csv");
}

BOOST_AUTO_TEST_CASE(a_link_to_a_group_is_one_link) {
  root->add_group("g")->add_group("h")->add_link("root", {}).add_link("self", {"g", "h"});
  root->add_link("l", {"g", "h"});
  BOOST_TEST(link("l") == "g/h");
  BOOST_TEST(link("g/h/root") == "../..");
  BOOST_TEST(link("g/h/self") == ".");
}

BOOST_AUTO_TEST_CASE(link_to_a_link_has_the_views_of_the_final_target) {
  root->add_text("t").add_link("first", {"t"}).add_link("second", {"first"});
  BOOST_TEST(link("second.csv") == "first.csv");
}

BOOST_AUTO_TEST_CASE(links_on_the_way_are_not_resolved) {
  root->add_group("g")->add_array("a");
  root->add_link("way", {"g"}).add_link("l", {"way", "a"});
  BOOST_TEST(link("l.csv") == "way/a.csv");
}

BOOST_AUTO_TEST_CASE(dangling_links_keep_their_bare_path) {
  root->add_link("gone", {"no", "such"}).add_link("self", {"self"}).add_link("a", {"b"}).add_link("b", {"a"});
  root->add_link("through", {"self", "x"}).add_link("out", {"..", "..", "etc"});
  BOOST_TEST(names() == (Names{"a", "b", "gone", "out", "self", "through"}),
             boost::test_tools::per_element());
  BOOST_TEST(link("gone") == "no/such");
  BOOST_TEST(link("self") == "self");
  BOOST_TEST(link("out") == "%2E%2E/%2E%2E/etc");
}

BOOST_AUTO_TEST_CASE(rings_of_links_through_directories_end) {
  auto g = root->add_group("g");
  g->add_link("h", {"g", "h", "g", "h"});
  g->add_link("i", {"g", "i", "i", "i", "i", "i", "i", "i"});
  BOOST_TEST(names("g") == (Names{"h", "i"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(chain_of_links_has_the_limit_of_linux) {
  root->add_array("a").add_link("l0", {"a"});
  constexpr int kCount = 2000;  // each is looked up once; otherwise this takes minutes
  for (int i = 1; i < kCount; ++i) root->add_link(fmt::format("l{}", i), {fmt::format("l{}", i - 1)});
  const Names all = names();
  const auto is_shown = [&](const char* name) {
    return std::binary_search(all.begin(), all.end(), std::string(name));
  };
  BOOST_TEST(is_shown("l39.csv"));
  BOOST_TEST(!is_shown("l39"));
  BOOST_TEST(is_shown("l40"));
  BOOST_TEST(!is_shown("l40.csv"));
  BOOST_TEST(link("l39.csv") == "l38.csv");
  BOOST_TEST(link("l1999") == "l1998");
}

BOOST_AUTO_TEST_CASE(links_in_the_folders_of_links_count_too) {
  root->add_group("g0")->add_array("a");
  for (int i = 1; i <= 45; ++i) root->add_link(fmt::format("g{}", i), {fmt::format("g{}", i - 1)});
  root->add_link("near", {"g39", "a"}).add_link("far", {"g40", "a"});
  const Names all = names();
  BOOST_TEST(std::count(all.begin(), all.end(), "near.csv") == 1);
  BOOST_TEST(std::count(all.begin(), all.end(), "far") == 1);
}

BOOST_AUTO_TEST_CASE(listing_does_not_keep_a_past_fault) {
  root->add_array("a").add("b", {unreadable("the disk fails"), nullptr, {}, {}});
  BOOST_TEST(names() == (Names{".attrs.json", "a.csv", "a.npy", "b.csv"}), boost::test_tools::per_element());
  const int before = root->times_listed();
  names();
  BOOST_TEST(root->times_listed() == before);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a known fault is reported for a second
  names();
  BOOST_TEST(root->times_listed() > before);
}

// The files of a view are also updated, with their own directories.
BOOST_AUTO_TEST_CASE(files_of_views_return_after_a_fault) {
  const auto names = std::make_shared<Names>();
  const auto group = std::make_shared<MemoryGroup>("/m");
  class Matrices : public MemoryGroup {
   public:
    Matrices(std::shared_ptr<Names> names, GroupPtr group)
        : names_(std::move(names)), group_(std::move(group)) {}
    std::vector<Member> members() const override {
      SparseMatrix matrix;
      matrix.rows = matrix.columns = 1;
      matrix.column_names = text_array({"c"});
      matrix.row_names = names_->empty()
                             ? std::make_shared<BrokenArray>(text_type(), unreadable("the disk fails"))
                             : text_array(*names_);
      return {{"m", {matrix, group_, {}, {}}}};
    }

   private:
    const std::shared_ptr<Names> names_;
    const GroupPtr group_;
  };
  root = std::make_shared<Matrices>(names, group);
  for (const char* path : {"m/genes.tsv", "m/10x/features.tsv.gz"})
    BOOST_CHECK_EXCEPTION(tree().size(find(path)), Error, mentions("the disk fails"));
  names->push_back("g");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a known fault is reported for a second
  for (const char* path : {"m/10x/features.tsv.gz", "m/genes.tsv"}) BOOST_TEST(tree().size(find(path)) > 0u);
}

// Whatever the member is, none of its possible names is reported as absent.
BOOST_AUTO_TEST_CASE(names_of_a_temporarily_unopenable_member_are_not_absent) {
  const auto broken = std::make_shared<BrokenGroup>(nullptr, "/t", unreadable("the disk fails"));
  const std::string long_name(300, 'n');
  root->add("b", {unreadable("the disk fails"), nullptr, {}, {}}).add("t", {{}, broken, {}, {}});
  root->add(long_name, {unreadable("the disk fails"), nullptr, {}, {}}).add_link("l", {"b"});
  root->add("bad", {damaged("no header"), nullptr, {}, {}});
  const Names all = names();
  for (const char* name : {"b.csv", "t", "t.csv", "l"})
    BOOST_TEST(std::count(all.begin(), all.end(), name) == 1);
  BOOST_CHECK_EXCEPTION(tree().size(find("t.csv")), Error, mentions("the disk fails"));
  for (const std::string& name : {std::string("b"), std::string("b.npy"), std::string("b~.csv"),
                                  std::string("t.rds"), std::string("l.csv"), file_name(long_name, ".npy")})
    BOOST_CHECK_EXCEPTION(find(name), Error, mentions("the disk fails"));
  for (const char* name : {"bb", "b-1.csv", "bad.npy", "x"})
    BOOST_CHECK_EXCEPTION(find(name), Error, [](const Error& e) { return e.code() == Errc::not_found; });
}

BOOST_AUTO_TEST_CASE(possible_name_of_an_unopenable_member_is_reserved) {
  root->add_array("a").add("a.csv", {unreadable("the disk fails"), nullptr, {}, {}});
  BOOST_TEST(names() == (Names{".attrs.json", "a.csv", "a.csv.csv", "a.npy"}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(tree().size(find("a.csv")), Error, mentions("the disk fails"));
}

BOOST_AUTO_TEST_CASE(unreadable_link_fails_alone) {
  const auto broken = std::make_shared<BrokenGroup>(nullptr, "/broken", unreadable("the disk fails"));
  root->add("broken", {{}, broken, {}, {}}).add_array("a").add_link("l", {"broken", "x"});
  BOOST_TEST(names() == (Names{"a.csv", "a.npy", "broken", "broken.csv", "l"}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(link("l"), Error, [](const Error& error) {
    return std::string(error.what()).find("the disk fails") != std::string::npos;
  });
}

// Its content is unknown for now, and must not look absent.
BOOST_AUTO_TEST_CASE(link_to_an_unopenable_member_gives_its_error) {
  Link csv;
  csv.path = {"b"};
  csv.only = ".csv";
  root->add("b", {unreadable("the disk fails"), nullptr, {}, {}}).add("l", {csv, nullptr, {}, {}});
  BOOST_CHECK_EXCEPTION(link("l.csv"), Error, mentions("the disk fails"));
}

BOOST_AUTO_TEST_CASE(a_very_long_link_ends) {
  root->add_link("deep", std::vector<std::string>(100'000, "x"));
  BOOST_TEST(names() == Names{"deep"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(link_names_a_displaced_view_by_its_shown_name) {
  root->add_array("a").add_group("a.csv");
  root->add_group("g")->add_link("l", {"a"});
  BOOST_TEST(names() == (Names{"a.csv", "a.npy", "a~.csv", "g"}), boost::test_tools::per_element());
  BOOST_TEST(link("g/l.csv") == "../a~.csv");
  BOOST_TEST(link("g/l.npy") == "../a.npy");
}

BOOST_AUTO_TEST_CASE(names_in_links_are_encoded) {
  root->add_group("x/y")->add_array("p%q/");
  root->add_link("l", {"x/y", "p%q/"});
  BOOST_TEST(link("l.csv") == "x%2Fy/p%25q%2F.csv");
}

BOOST_AUTO_TEST_CASE(absent_stores_are_named_beside_the_mountpoint) {
  root->add_link("gone", {"z"}, "gone.h5").add_link("below", {"z"}, "/nowhere/deep/s.h5");
  root->add_group("g")->add_link("gone", {"z"}, "gone.h5");
  BOOST_TEST(link("gone") == "../gone.h5/z");
  BOOST_TEST(link("g/gone") == "../../gone.h5/z");
  BOOST_TEST(link("below") == "../deep/s.h5/z");
}

BOOST_AUTO_TEST_CASE(unreachable_stores_are_named_by_source_and_path) {
  root->add_link("far", {"z"}, "/far/away.h5").add_link("up", {"z"}, "../../up.h5");
  BOOST_TEST(link("far") == "/far/away.h5:/z");
  BOOST_TEST(link("up") == "../../up.h5:/z");
}

BOOST_AUTO_TEST_CASE(member_named_dot_plainfs_is_renamed) {
  root->add_group(".plainfs");
  tree().add_hidden(".plainfs", {});
  BOOST_TEST(names() == Names{".plainfs~"}, boost::test_tools::per_element());
  BOOST_TEST(find(".plainfs") != find(".plainfs~"));
}

BOOST_AUTO_TEST_CASE(expensive_files_of_a_remote_store_are_found_by_name) {
  root->add_array("a").add_text("t").add_link("link", {"a"}).add_group("g")->add_array("b");
  root->add("bad", {damaged("no header"), nullptr, {}, {}});
  generated.emplace(memory_store(root, "http://host/x.h5"), subdir, default_views(), context, inodes);
  BOOST_TEST(names() == (Names{"a.npy", "bad.csv", "g", "link.npy"}), boost::test_tools::per_element());
  BOOST_TEST(names("g") == Names{"b.npy"}, boost::test_tools::per_element());
  BOOST_TEST(whole_text(*tree().view(find("a.csv"))).size() == tree().size(find("a.csv")));
  BOOST_TEST(link("link.csv") == "a.csv");
  // A walk through the whole store visits each of them once, and not their repetitions.
  const ListingPtr listing = tree().list(kRootInode);
  Names once;
  for (size_t i = 0; i < listing->once(); ++i) once.push_back(listing->at(i).name);
  std::sort(once.begin(), once.end());
  const Names all{"a.csv", "a.npy", "bad.csv", "g", "link.csv", "link.npy", "t.csv"};
  BOOST_TEST(once == all, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(named_views_of_a_remote_store_are_listed) {
  root->add_array("a");
  generated.emplace(memory_store(root, "http://host/x.h5"), subdir, views_named("csv+npy"), context, inodes);
  BOOST_TEST(names() == (Names{"a.csv", "a.npy"}), boost::test_tools::per_element());
}

// Offers a file and a directory again that are found by name.
void offer_again(const FileRow& row, const Node& node, Context&, std::vector<ViewEntry>& files) {
  const Opener open = [] { return std::make_shared<MemoryFile>("again"); };
  if (std::holds_alternative<LabelledArray>(node.content)) row.add(open, files);
  if (node.parts)
    files.push_back({"again", {}, [open] { return std::vector<ViewEntry>{{"inside.txt", open}}; }, true});
}
constexpr FileForm kAgainForm{".again"}, kNumberedForm{""};
constexpr FileRow kAgainFiles[] = {{"again", "NAME.again", kAgainForm, offer_again, true}};
constexpr View kAgain{"again", kAgainFiles};

ChosenViews with_again() {
  ChosenViews views = default_views();
  views.all.push_back(&kAgain);
  return views;
}

BOOST_AUTO_TEST_CASE(found_names_are_not_listed) {
  root->add_array("a").add_link("link", {"a"});
  generated.emplace(memory_store(root), subdir, with_again(), context, inodes);
  const Names listed{"a.csv", "a.npy", "link.csv", "link.npy"};
  BOOST_TEST(names() == listed, boost::test_tools::per_element());
  BOOST_CHECK(tree().kind(find("a.again")) == FileKind::file);
  BOOST_TEST(whole_text(*tree().view(find("a.again"))) == "again");
  BOOST_TEST(link("link.again") == "a.again");
  BOOST_CHECK(tree().kind(find("again")) == FileKind::directory);
  // The content of such a directory is listed.
  BOOST_TEST(names("again") == Names{"inside.txt"}, boost::test_tools::per_element());
  Names unlisted;
  const ListingPtr listing = tree().list(kRootInode);
  for (const Listing::Entry& entry : listing->unlisted()) unlisted.push_back(entry.name);
  std::sort(unlisted.begin(), unlisted.end());
  BOOST_TEST(unlisted == (Names{"a.again", "a.mat", "again", "link.again", "link.mat"}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(find("b.again"), Error, mentions("b.again does not exist"));
}

// Files named n.txt for any number n, with n as content. 1 and 2 are listed.
class Numbered : public NamedFiles {
 public:
  FoundNamesPtr names() const override { return found_names({"2.txt", "1.txt"}); }
  std::optional<ViewEntry> find(std::string_view name) const override {
    if (name == "3.txt") throw not_unique("several are called 3");
    if (!name.ends_with(".txt") || name[0] < '0' || name[0] > '9') return std::nullopt;
    return ViewEntry{std::string(name),
                     [name = std::string(name)] { return std::make_shared<MemoryFile>(name); }};
  }
};
void offer_numbered(const FileRow& row, const Node& node, Context&, std::vector<ViewEntry>& files) {
  if (!node.parts) return;
  files.push_back({std::string(row.name), {}, {}, row.is_unlisted});
  files.back().found = std::make_shared<const Numbered>();
}
constexpr FileRow kNumberedFiles[] = {{kPartsView, "numbered", kNumberedForm, offer_numbered, true}};
constexpr View kNumbered{kPartsView, kNumberedFiles};

ChosenViews with_numbered() {
  ChosenViews views = default_views();
  views.all.push_back(&kNumbered);
  return views;
}

BOOST_AUTO_TEST_CASE(unlisted_files_are_found) {
  generated.emplace(memory_store(root), subdir, with_numbered(), context, inodes);
  BOOST_TEST(names().empty());
  const Inode seventh = find("numbered/7.txt");
  BOOST_TEST(whole_text(*tree().view(seventh)) == "7.txt");
  BOOST_CHECK(tree().kind(seventh) == FileKind::file);
  BOOST_TEST(tree().size(seventh) == 5U);
  BOOST_TEST(find("numbered/7.txt") == seventh);
  BOOST_TEST(names("numbered") == (Names{"1.txt", "2.txt"}), boost::test_tools::per_element());
  BOOST_TEST(tree().list(find("numbered"))->entries()[0].name == "2.txt");  // in the given order
  const ListingPtr listing = tree().list(find("numbered"));
  for (const Listing::Entry& entry : listing->entries()) {
    BOOST_TEST(tree().size(entry.inode) == 5U);
    BOOST_TEST(find("numbered/" + entry.name) == entry.inode);
  }
  BOOST_CHECK_EXCEPTION(find("numbered/x.txt"), Error, mentions("x.txt does not exist"));
  BOOST_CHECK_EXCEPTION(find("numbered/3.txt"), Error, mentions("several are called 3"));
  // Another opening finds the inode by its name, without a listing.
  generated.emplace(memory_store(root), subdir, with_numbered(), context, inodes);
  BOOST_TEST(tree().size(seventh) == 5U);
  BOOST_TEST(whole_text(*tree().view(seventh)) == "7.txt");
}

BOOST_AUTO_TEST_CASE(listed_parts_have_inodes_by_their_place) {
  generated.emplace(memory_store(root), subdir, with_numbered(), context, inodes);
  const Inode directory = find("numbered");
  const uint64_t names_before = inodes->statistics().names;
  const ListingPtr listing = tree().list(directory);
  const Inode second = listing->entries()[1].inode;
  BOOST_TEST(second == listing->entries()[0].inode + 1);
  BOOST_TEST(find("numbered/1.txt") == second);
  BOOST_TEST(tree().name(second) == "1.txt");
  BOOST_TEST(tree().path(second) == "/numbered/1.txt");
  BOOST_TEST(inodes->parent(second) == directory);
  BOOST_TEST(inodes->statistics().names == names_before);
  BOOST_TEST(inodes->statistics().parts == 2U);
  // Another opening may list other files at these places.
  Tree other(memory_store(root), subdir, with_numbered(), context, inodes);
  BOOST_TEST(other.find("numbered/1.txt") != second);
  BOOST_CHECK_EXCEPTION(other.kind(second), Error, mentions("no longer in the store"));
}

BOOST_AUTO_TEST_CASE(names_are_released_after_a_visit) {
  ChosenViews views = with_numbered();
  generated.emplace(memory_store(root), subdir, views, context, inodes);
  const uint64_t before = inodes->statistics().names;
  {
    const Inodes::Visit visit(*inodes);
    for (int i = 10; i < 100; ++i)
      BOOST_TEST(tree().name(find(fmt::format("numbered/{}.txt", i))) == fmt::format("{}.txt", i));
    tree().list(find("numbered"));
    BOOST_TEST(inodes->statistics().names > before + 90);
  }
  BOOST_TEST(inodes->statistics().parts == 0U);
  BOOST_TEST(inodes->statistics().names < before + 10);  // listed ones stay
}

BOOST_AUTO_TEST_CASE(long_unused_directories_are_listed_again) {
  for (int i = 0; i < 400; ++i) {
    const auto group = root->add_group(fmt::format("g{}", i));
    for (int k = 0; k < 40; ++k) group->add_array(fmt::format("a{}", k));
  }
  tree();
  const auto walk = [&] {
    uint64_t most = 0;
    for (int i = 0; i < 400; ++i) {
      const Inodes::Visit visit(*inodes);
      BOOST_TEST(tree().size(find(fmt::format("g{}/a39.csv", i))) == 6U);
      most = std::max(most, inodes->statistics().names);
    }
    return most;
  };
  BOOST_TEST(walk() < 16'000U);  // of 33,000
  BOOST_TEST(walk() < 16'000U);
  const Inodes::Visit visit(*inodes);
  const Inode held = find("g0/a0.csv");
  inodes->hold(held);
  walk();
  BOOST_TEST(find("g0/a0.csv") == held);
}

// Groups g0, g1, ... that contain many groups s0, s1, ... with an array a.
void add_wide_groups(MemoryGroup& root, int count) {
  for (int i = 0; i < count; ++i) {
    const auto group = root.add_group(fmt::format("g{}", i));
    for (int k = 0; k < 300; ++k) group->add_group(fmt::format("s{}", k))->add_array("a");
  }
}

BOOST_AUTO_TEST_CASE(memory_of_listed_directories_is_limited) {
  constexpr int kGroups = 50;
  constexpr size_t kMax = 16 << 20;
  add_wide_groups(*root, kGroups);
  tree();
  size_t max_names = 0, max_bytes = 0;
  for (int i = 0; i < 2 * kGroups; ++i) {
    const Inodes::Visit visit(*inodes);
    for (int k = 0; k < 300; k += 30)
      BOOST_TEST(tree().size(find(fmt::format("g{}/s{}/a.csv", i % kGroups, k))) == 6U);
    max_names = std::max<size_t>(max_names, inodes->statistics().names);
    max_bytes = std::max(max_bytes, tree().listed().bytes);
  }
  BOOST_TEST(max_bytes < kMax);
  BOOST_TEST(max_names < 14'000U);  // of 17,000
  BOOST_TEST(tree().listed().directories > 100U);
}

BOOST_AUTO_TEST_CASE(held_names_keep_their_inodes_when_contents_are_dropped) {
  add_wide_groups(*root, 60);
  tree();
  Inode folder = 0, file = 0;
  {
    const Inodes::Visit visit(*inodes);
    folder = find("g0/s7");
    file = find("g0/s7/a.csv");
    inodes->hold(folder);
    inodes->hold(file);
  }
  const auto group = std::static_pointer_cast<const MemoryGroup>(root->find("g0")->parts);
  const int listed_before = group->times_listed();
  for (int i = 1; i < 60; ++i) {
    const Inodes::Visit visit(*inodes);
    find(fmt::format("g{}/s0/a.csv", i));
  }
  BOOST_TEST(tree().size(file) == 6U);
  BOOST_TEST(tree().list(folder)->find("a.csv").has_value());
  BOOST_TEST(find("g0/s7/a.csv") == file);
  BOOST_TEST(find("g0/s7") == folder);
  BOOST_TEST(group->times_listed() > listed_before);
}

BOOST_AUTO_TEST_CASE(threads_find_files_while_contents_are_dropped) {
  add_wide_groups(*root, 60);
  tree();
  std::atomic<int> found{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 120; ++i) {
        const Inodes::Visit visit(*inodes);
        const std::string path = fmt::format("g{}/s{}", (7 * thread + i) % 60, i);
        const ListingPtr listing = tree().list(find(path));
        if (tree().size(find(path + "/a.csv")) == 6 && listing->find("a.npy")) ++found;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(found == 4 * 120);
}

BOOST_AUTO_TEST_CASE(deep_directory_is_found_after_its_parents_were_released) {
  auto group = root;
  std::string path;
  for (int depth = 0; depth < 3000; ++depth) {
    group = group->add_group("g");
    path += "g/";
  }
  group->add_array("a");
  for (int i = 0; i < 300; ++i) {
    const auto wide = root->add_group(fmt::format("wide{}", i));
    for (int k = 0; k < 40; ++k) wide->add_array(fmt::format("a{}", k));
  }
  const Inodes::Visit visit(*inodes);
  const Inode deep = find(path + "a.csv");
  for (int i = 0; i < 300; ++i) find(fmt::format("wide{}/a0.csv", i));
  BOOST_TEST(tree().size(deep) == 6U);
}

BOOST_AUTO_TEST_CASE(parts_are_listed_on_request) {
  ChosenViews views = with_numbered();
  views.lists_parts = true;
  generated.emplace(memory_store(root), subdir, views, context, inodes);
  BOOST_TEST(names() == Names{"numbered"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(files_of_named_views_are_listed) {
  root->add_array("a");
  ChosenViews views = with_again();
  views.are_named = true;
  generated.emplace(memory_store(root), subdir, views, context, inodes);
  BOOST_TEST(names() == (Names{"a.again", "a.csv", "a.mat", "a.npy", "again"}),
             boost::test_tools::per_element());
  BOOST_TEST(tree().list(kRootInode)->unlisted().empty());
}

BOOST_AUTO_TEST_CASE(a_found_name_yields_to_a_member_of_its_name) {
  root->add_array("a").add_group("a.again");
  generated.emplace(memory_store(root), subdir, with_again(), context, inodes);
  BOOST_CHECK(tree().kind(find("a.again")) == FileKind::directory);
  BOOST_CHECK(tree().kind(find("a~.again")) == FileKind::file);
}

BOOST_AUTO_TEST_CASE(reopened_store_shows_its_new_contents) {
  root->add_array("a").add_array("b");
  const Inode a = find("a.csv");
  const Inode b = find("b.csv");
  auto other = std::make_shared<MemoryGroup>();
  other->add_array("b", {1, 2, 3, 4, 5}).add_array("c");
  const uint64_t old_size = tree().size(b);
  Tree before(memory_store(root), {}, default_views(), context, inodes);
  BOOST_TEST(before.find("a.csv") == a);
  root = other;
  generated.reset();
  BOOST_CHECK_EXCEPTION(tree().kind(a), Error,
                        [](const Error& error) { return error.code() == Errc::not_found; });
  BOOST_CHECK(tree().kind(b) == FileKind::file);
  BOOST_TEST(names() == (Names{"b.csv", "b.npy", "c.csv", "c.npy"}), boost::test_tools::per_element());
  BOOST_TEST(find("b.csv") == b);
  BOOST_TEST(tree().size(b) == old_size + 4);
  // A walk that began earlier ends with the earlier content.
  BOOST_CHECK(before.kind(a) == FileKind::file);
  BOOST_TEST(before.size(b) == old_size);
}

BOOST_AUTO_TEST_CASE(an_inode_of_another_opening_is_found_by_its_name) {
  root->add_group("g")->add_group("h")->add_array("a");
  const Inode a = find("g/h/a.csv"), h = find("g/h");
  generated.reset();
  BOOST_TEST(tree().size(a) == 6u);
  generated.reset();
  BOOST_TEST(tree().list(h)->entries().size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_name_of_another_kind_is_another_inode) {
  root->add_text("a");
  root->add("x", {{}, std::make_shared<MemoryGroup>(), {}, {}});
  const Inode group = find("x");
  root = std::make_shared<MemoryGroup>();
  root->add_link("x", {"a"});
  generated.reset();
  BOOST_TEST(find("x") != group);
  BOOST_CHECK_EXCEPTION(tree().kind(group), Error, mentions("x: no longer in the store"));
}

BOOST_AUTO_TEST_CASE(directory_can_be_the_root) {
  root->add_array("out")
      .add_group("g")
      ->add_group("h")
      ->add_array("a")
      .add_link("in", {"g", "h", "a"})
      .add_link("up", {"out"});
  subdir = "g/h";
  BOOST_TEST(names() == (Names{"a.csv", "a.npy", "in.csv", "in.npy", "up.csv", "up.npy"}),
             boost::test_tools::per_element());
  BOOST_TEST(link("in.csv") == "a.csv");
  BOOST_TEST(link("up.csv") == "store.h5:/out");
}

BOOST_AUTO_TEST_CASE(only_a_directory_can_be_the_root) {
  root->add_array("a");
  subdir = "a.csv";
  BOOST_CHECK_EXCEPTION(tree(), Error, mentions("a.csv: not a directory"));
  subdir = "none";
  BOOST_CHECK_EXCEPTION(tree(), Error, mentions("does not exist"));
}

BOOST_AUTO_TEST_CASE(many_threads_see_the_same_inodes) {
  for (int i = 0; i < 200; ++i) root->add_group(fmt::format("g{}", i))->add_array("a");
  std::vector<std::vector<Inode>> seen(8);
  tree();
  std::vector<std::thread> threads;
  for (auto& met : seen) {
    threads.emplace_back([&met, this] {
      for (int i = 0; i < 200; ++i) met.push_back(find(fmt::format("g{}/a.csv", i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& met : seen) BOOST_TEST(met == seen.front());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
