#include "fs/views/genomics/position_index.h"

#include <libdeflate.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>
#include <sstream>

#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/memory_text.h"

namespace plainfs {

namespace {

// Returns the index of the lines of `text`, measured in blocks of `lines`, each of one chromosome, that
// arrive in any order.
std::string index_of(const std::string& text, IndexKind kind = IndexKind::tbi, size_t lines_in_block = 50) {
  std::vector<IndexedLines> blocks;
  std::string chromosome;
  size_t lines = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line); ++lines) {
    std::istringstream fields(line);
    std::string name;
    uint64_t start = 0, end = 0;
    BOOST_REQUIRE(fields >> name >> start >> end);
    if (name != chromosome || lines == lines_in_block) {
      blocks.emplace_back(name, kFragmentLines);
      chromosome = name;
      lines = 0;
    }
    blocks.back().add(start, end, line.size() + 1);
  }
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(lines_in_block));
  PositionIndexer indexer(kFragmentLines);
  for (const size_t block : order) {
    BOOST_REQUIRE(!indexer.has(block));
    indexer.add(block, {blocks[block]});
    indexer.add(block, {blocks[block]});  // changes nothing
    BOOST_REQUIRE(indexer.has(block));
  }
  const std::string index = indexer.finish(kind);
  BOOST_TEST((indexer.finish(kind) == index));
  return index;
}

bool refuses(const std::string& text, std::string_view words, IndexKind kind = IndexKind::tbi) {
  const std::string message = message_of([&] { index_of(text, kind); });
  BOOST_TEST_INFO(message);
  return message.find(words) != std::string::npos;
}

// Returns the content of the example's index, from its stored members.
std::string example(const std::string& name) {
  std::string file = test_file("tool-files/bgzf/ours/" + name), text;
  for (size_t at = 0; at + 28 < file.size();) {
    const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(file[at + i])}; };
    const size_t length = byte(19) | byte(20) << 8;
    text += file.substr(at + 23, length);
    at += length + 31;
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(position_index_file)

// The examples hold the content of htslib's own index, with sorted bins.
BOOST_AUTO_TEST_CASE(bins_chunks_and_windows_match_tabix) {
  for (const size_t lines : {1, 2, 7, 100, 1000000}) {
    BOOST_TEST((index_of(test_file("tool-files/bgzf/frag.tsv"), IndexKind::tbi, lines) ==
                example("frag.tsv.gz.tbi")));
    BOOST_TEST((index_of(test_file("tool-files/bgzf/wheat.tsv"), IndexKind::csi, lines) ==
                example("wheat.tsv.gz.csi")));
  }
}

BOOST_AUTO_TEST_CASE(no_lines_give_an_index_without_chromosomes) {
  const std::string index = index_of("");
  BOOST_TEST(index.size() == 44u);
  BOOST_TEST(index.substr(0, 8) == std::string_view("TBI\1\0\0\0\0", 8));
}

BOOST_AUTO_TEST_CASE(lines_in_another_order_have_no_index) {
  BOOST_TEST(refuses("chr1\t10\t20\tA\t1\nchr1\t9\t20\tA\t1\n", "9 after 10"));
  BOOST_TEST(refuses("a\t10\t20\tA\t1\nb\t9\t20\tA\t1\na\t30\t40\tA\t1\n", "are not contiguous"));
  BOOST_TEST(refuses("a\t10\t9\tA\t1\n", "before its start"));
}

BOOST_AUTO_TEST_CASE(positions_have_a_limit) {
  BOOST_TEST(!index_of("a\t10\t536870912\tA\t1\n").empty());
  BOOST_TEST(refuses("a\t10\t536870913\tA\t1\n", "536870913 of a is too large"));
  BOOST_TEST(!index_of("a\t10\t536870913\tA\t1\n", IndexKind::csi).empty());
  BOOST_TEST(refuses("a\t10\t4294967297\tA\t1\n", "4294967297 of a", IndexKind::csi));
}

// One pass gives both kinds. If one of them cannot hold the positions, the other remains.
BOOST_AUTO_TEST_CASE(one_pass_gives_both_kinds) {
  PositionIndexer indexer(kFragmentLines);
  IndexedLines lines("a", kFragmentLines);
  lines.add(10, 20, 12);
  lines.add(20, 536870913, 19);
  indexer.add(0, {lines});
  BOOST_TEST(message_of([&] { indexer.finish(IndexKind::tbi); }).find("too large") != std::string::npos);
  BOOST_TEST((indexer.finish(IndexKind::csi) ==
              index_of("a\t10\t20\tA\t1\na\t20\t536870913\tA\t1\n", IndexKind::csi)));
}

// The end may be before the first base: it is found as its own position.
BOOST_AUTO_TEST_CASE(empty_intervals_are_indexed_as_one_position) {
  BOOST_TEST((index_of("a\t16384\t16384\tA\t1\n") == index_of("a\t16384\t16385\tA\t1\n")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
