#include "formats/core/unpacked/tar_tree.h"

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/support/bytes_file.h"
#include "tests/support/mentions.h"

namespace {

using namespace plainfs;
using namespace plainfs::unpacked;

constexpr size_t kBlock = 512;

struct TarMember {
  std::string name;
  std::string content = "";
  char type = '0';
  std::string link = "";
};

std::string padded(std::string text) {
  text.resize((text.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return text;
}

// Writes the checksum of a header.
void seal(std::string& block) {
  std::memset(block.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(block.data() + 148, 8, "%06o", sum);
}

std::string header(const TarMember& member) {
  std::string block(kBlock, '\0');
  member.name.copy(block.data(), 100);
  std::snprintf(block.data() + 100, 8, "%07o", 0644u);
  std::snprintf(block.data() + 124, 12, "%011zo", member.content.size());
  block[156] = member.type;
  member.link.copy(block.data() + 157, 100);
  std::memcpy(block.data() + 257,
              "ustar\0"
              "00",
              8);
  seal(block);
  return block;
}

std::string archive(const std::vector<TarMember>& members) {
  std::string bytes;
  for (const TarMember& member : members) bytes += header(member) + padded(member.content);
  return bytes + std::string(2 * kBlock, '\0');
}

TarTree tree_of(std::string bytes) {
  return {std::make_shared<BytesFile>(std::move(bytes)), "a.tar"};
}

std::string text_of(const TarTree& tree, const std::string& key) {
  const FilePtr file = tree.open(key);
  BOOST_REQUIRE(file);
  return std::string(as_text(file->read_at(0, static_cast<size_t>(file->size()))));
}

std::string names_in(const TarTree& tree, const std::string& folder) {
  std::string names;
  for (const Entry& entry : tree.list(folder))
    names += entry.name + (entry.kind == EntryKind::folder ? "/ " : " ");
  return names;
}

bool notices(const TarTree& tree, const std::string& words) {
  for (const std::string& line : tree.notices())
    if (line.find(words) != std::string::npos) return true;
  return false;
}

BOOST_AUTO_TEST_SUITE(tar_trees)

BOOST_AUTO_TEST_CASE(members_are_files_read_in_place) {
  const TarTree tree =
      tree_of(archive({{"b.txt", "second"}, {"./dir/", "", '5'}, {"dir/a.txt", std::string(1000, 'x')}}));
  BOOST_TEST(names_in(tree, "") == "b.txt dir/ ");
  BOOST_TEST(names_in(tree, "dir") == "a.txt ");
  BOOST_TEST(text_of(tree, "b.txt") == "second");
  BOOST_TEST(text_of(tree, "dir/a.txt") == std::string(1000, 'x'));
  BOOST_TEST(tree.open("b.txt")->path() == "a.tar/b.txt");
  BOOST_TEST(!tree.open("c.txt"));
  BOOST_TEST(!tree.open("dir"));
  BOOST_TEST((tree.kind_of("dir") == EntryKind::folder));
  BOOST_TEST((tree.kind_of("no") == EntryKind::nothing));
  BOOST_TEST(tree.files() == 2);
  BOOST_TEST(tree.notices().empty());
}

BOOST_AUTO_TEST_CASE(folders_without_a_header_exist) {
  const TarTree tree = tree_of(archive({{"a/b/c.txt", "1"}, {"a/b-d.txt", "2"}}));
  BOOST_TEST(names_in(tree, "") == "a/ ");
  BOOST_TEST(names_in(tree, "a") == "b/ b-d.txt ");
  BOOST_TEST(names_in(tree, "a/b") == "c.txt ");
}

BOOST_AUTO_TEST_CASE(long_names_come_from_the_header_before) {
  const std::string name(300, 'n'), other(200, 'p');
  std::string record = "path=" + other + "\n";
  record = std::to_string(record.size() + 4) + " " + record;
  const TarTree tree = tree_of(archive({{"././@LongLink", name + '\0', 'L'},
                                        {"short", "gnu"},
                                        {"pax", record, 'x'},
                                        {"short", "pax"},
                                        {"last", "own"}}));
  BOOST_TEST(text_of(tree, name) == "gnu");
  BOOST_TEST(text_of(tree, other) == "pax");
  BOOST_TEST(text_of(tree, "last") == "own");
}

BOOST_AUTO_TEST_CASE(size_in_base_256_is_read) {
  std::string block = header({"large", "12345"});
  std::memset(block.data() + 124, 0, 12);
  block[124] = static_cast<char>(0x80);
  block[135] = 5;
  seal(block);
  const TarTree tree = tree_of(block + padded("12345") + std::string(kBlock, '\0'));
  BOOST_TEST(text_of(tree, "large") == "12345");
}

BOOST_AUTO_TEST_CASE(name_that_leads_out_is_left_out) {
  const TarTree tree = tree_of(archive({{"../a", "1"}, {"b/../../c", "2"}, {"/etc/d", "3"}, {"e", "4"}}));
  BOOST_TEST(names_in(tree, "") == "e ");
  BOOST_TEST(notices(tree, "../a: left out: its name leads out of the archive"));
  BOOST_TEST(notices(tree, "b/../../c: left out"));
  BOOST_TEST(notices(tree, "/etc/d: left out: an absolute name"));
}

BOOST_AUTO_TEST_CASE(links_and_sparse_members_are_refused) {
  const TarTree tree =
      tree_of(archive({{"a", "1"}, {"soft", "", '2', "a"}, {"hard", "", '1', "a"}, {"holes", "", 'S'}}));
  for (const char* name : {"soft", "hard"})
    BOOST_CHECK_EXCEPTION(tree.open(name), Error, mentions("a link to a in an archive"));
  BOOST_CHECK_EXCEPTION(tree.open("holes"), Error, mentions("a sparse file in an archive"));
  BOOST_TEST(text_of(tree, "a") == "1");
}

BOOST_AUTO_TEST_CASE(truncated_member_is_damaged) {
  std::string bytes = archive({{"a", "whole"}, {"b", std::string(5000, 'b')}});
  bytes.resize(4000);
  const TarTree tree = tree_of(bytes);
  BOOST_TEST(text_of(tree, "a") == "whole");
  BOOST_CHECK_EXCEPTION(tree.open("b"), Error, mentions("the archive ends within this member"));
}

BOOST_AUTO_TEST_CASE(damaged_header_ends_the_archive) {
  std::string bytes = archive({{"a", "whole"}, {"b", "lost"}});
  bytes[2 * kBlock] = 'c';
  const TarTree tree = tree_of(bytes);
  BOOST_TEST(names_in(tree, "") == "a ");
  BOOST_TEST(notices(tree, "the archive is damaged at byte 1024: a header has a wrong checksum"));
  bytes[0] = 'c';
  BOOST_CHECK_EXCEPTION(tree_of(bytes), Error, mentions("a header has a wrong checksum"));
}

BOOST_AUTO_TEST_CASE(file_with_members_below_it_keeps_its_name) {
  const TarTree tree = tree_of(archive({{"a", "file"}, {"a/b", "below"}, {"c/d", "1"}, {"c", "2"}}));
  BOOST_TEST(text_of(tree, "a") == "file");
  BOOST_TEST(text_of(tree, "c/d") == "1");
  BOOST_TEST(notices(tree, "a/b: left out: a is a file"));
  BOOST_TEST(notices(tree, "c: left out: a file and a folder have this name"));
}

BOOST_AUTO_TEST_CASE(last_member_of_a_name_counts) {
  const TarTree tree = tree_of(archive({{"a", "old"}, {"a", "new"}}));
  BOOST_TEST(text_of(tree, "a") == "new");
  BOOST_TEST(notices(tree, "a: occurs several times"));
  BOOST_TEST(tree.files() == 1);
}

BOOST_AUTO_TEST_CASE(members_of_an_earlier_session_are_those_of_the_file) {
  const std::string bytes = archive({{"dir/a.txt", "first"},
                                     {"b.txt", std::string(1000, 'x')},
                                     {"link", "", '2', "/etc/passwd"},
                                     {"c.txt", "last"}});
  std::vector<uint64_t> numbers;
  tree_of(bytes).append_numbers(numbers);
  const auto kept = [&](std::string file) {
    KeptNumbers from(numbers);
    return TarTree(std::make_shared<BytesFile>(std::move(file)), "a.tar", from);
  };
  const TarTree tree = kept(bytes);
  BOOST_TEST(names_in(tree, "") == names_in(tree_of(bytes), ""));
  BOOST_TEST(text_of(tree, "dir/a.txt") == "first");
  BOOST_TEST(text_of(tree, "b.txt") == std::string(1000, 'x'));
  BOOST_CHECK_EXCEPTION(tree.open("link"), Error, mentions("a link to /etc/passwd"));
  BOOST_TEST(tree.files() == 4u);
  BOOST_TEST(notices(tree, "link: a link to"));

  std::string other = bytes;
  other[bytes.find("dir/a.txt")] = 'D';
  BOOST_CHECK_EXCEPTION(kept(other).open("dir/a.txt"), Error, mentions("has changed"));
  other = bytes;
  other[bytes.find("c.txt")] = 'C';
  BOOST_CHECK_EXCEPTION(kept(other), Error, mentions("those of another file"));
  BOOST_CHECK_EXCEPTION(kept(bytes.substr(0, 1500)), Error, mentions("beyond the end"));
  numbers.pop_back();
  BOOST_CHECK_THROW(kept(bytes), Error);
}

BOOST_AUTO_TEST_CASE(archive_is_recognised_by_its_checksum) {
  std::string bytes = archive({{"a", "1"}});
  BOOST_TEST(looks_like_tar(as_byte_span(bytes).first(kBlock)));
  BOOST_TEST(!looks_like_tar(as_byte_span(bytes).first(kBlock - 1)));
  bytes[1] = 'b';
  BOOST_TEST(!looks_like_tar(as_byte_span(bytes).first(kBlock)));
  BOOST_TEST(!looks_like_tar(as_byte_span(std::string(kBlock, '\0'))));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
