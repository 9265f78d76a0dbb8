#include "formats/containers/bpcells/bp128.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <vector>

#include "tests/support/bpcells_writer.h"

namespace {

using namespace plainfs::bpcells;
using Block = std::array<uint32_t, kBlockValues>;

constexpr Transform kTransforms[] = {Transform::none, Transform::minus_one, Transform::difference,
                                     Transform::zigzag_difference};

// Unpacks value by value and bit by bit, from the definition in FORMAT.md.
Block unpack_slowly(unsigned width, Transform transform, uint32_t start, const std::vector<uint32_t>& words) {
  Block values;
  uint32_t sum = start;
  for (unsigned i = 0; i < kBlockValues; ++i) {
    const unsigned lane = i % 4;
    const unsigned row = i / 4;
    uint32_t v = 0;
    for (unsigned bit = 0; bit < width; ++bit) {
      const unsigned at = row * width + bit;
      v |= (words[4 * (at / 32) + lane] >> (at % 32) & 1) << bit;
    }
    if (width == 32) {
      values[i] = words[i];
      continue;
    }
    switch (transform) {
      case Transform::none:
        values[i] = v;
        break;
      case Transform::minus_one:
        values[i] = v + 1;
        break;
      case Transform::difference:
        values[i] = sum += v;
        break;
      case Transform::zigzag_difference:
        values[i] = sum += (v % 2 == 0) ? v / 2 : ~(v / 2);
        break;
    }
  }
  return values;
}

Block unpack(unsigned width, Transform transform, uint32_t start, const std::vector<uint32_t>& words) {
  Block values, anywhere;
  unpack_block(width, transform, start, words.data(), values.data());
  unpack_block_anywhere(width, transform, start, words.data(), anywhere.data());
  BOOST_TEST(values == anywhere, boost::test_tools::per_element());
  return values;
}

BOOST_AUTO_TEST_SUITE(bp128)

BOOST_AUTO_TEST_CASE(every_width_and_transform_unpacks_by_definition) {
  std::mt19937 random(20240611);
  for (unsigned width = 0; width <= kMaxWidth; ++width) {
    for (const Transform transform : kTransforms) {
      for (int round = 0; round < 20; ++round) {
        std::vector<uint32_t> words(4 * width);
        for (uint32_t& word : words) word = random();
        const uint32_t start = random();
        const Block expected = unpack_slowly(width, transform, start, words);
        const Block actual = unpack(width, transform, start, words);
        BOOST_TEST_CONTEXT("width " << width << ", transform " << static_cast<int>(transform)) {
          BOOST_TEST(actual == expected, boost::test_tools::per_element());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(block_of_32_bits_ignores_the_transform) {
  std::vector<uint32_t> words(128);
  for (uint32_t i = 0; i < 128; ++i) words[i] = 0xfffffff0u + i;
  for (const Transform transform : kTransforms) {
    const Block values = unpack(32, transform, 77, words);
    BOOST_TEST(values == words, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_block_of_no_bits_has_one_value) {
  const std::vector<uint32_t> none;
  BOOST_TEST(unpack(0, Transform::none, 9, none)[127] == 0u);
  BOOST_TEST(unpack(0, Transform::minus_one, 9, none)[127] == 1u);
  BOOST_TEST(unpack(0, Transform::difference, 9, none)[127] == 9u);
  BOOST_TEST(unpack(0, Transform::zigzag_difference, 9, none)[127] == 9u);
}

// BPCells writes these for index = 100, 102, 105, 101, 102, 102, … and for the val beside it. Plain
// differences, and differences with one that is 0, below 0, or first and not 0.
BOOST_AUTO_TEST_CASE(delta_blocks_are_cumulative) {
  std::mt19937 random(5);
  for (unsigned width = 0; width <= kMaxRisingWidth; ++width) {
    for (int round = 0; round < 40; ++round) {
      std::vector<uint32_t> codes(kBlockValues);
      for (uint32_t& code : codes)
        code = std::max(static_cast<uint32_t>(random()) % (uint32_t{1} << width), 2u) & ~1u;
      codes[0] = 0;
      if (round % 4 == 1) codes[1 + random() % 127] = 0;
      if (round % 4 == 2) codes[random() % 128] |= 1;
      if (round % 4 == 3) codes[0] = 2;
      std::vector<uint32_t> words(4 * width);
      for (unsigned i = 0; i < kBlockValues; ++i) {
        if (width < 32) codes[i] &= (uint32_t{1} << width) - 1;
        for (unsigned bit = 0; bit < width; ++bit)
          words[4 * ((i / 4 * width + bit) / 32) + i % 4] |= (codes[i] >> bit & 1)
                                                             << ((i / 4 * width + bit) % 32);
      }
      const Block values = unpack(width, Transform::zigzag_difference, 7, words);
      const bool all_rise = values[0] == 7 && std::adjacent_find(values.begin(), values.end(),
                                                                 std::greater_equal<>()) == values.end();
      for (const auto rise : {differences_rise, differences_rise_anywhere}) {
        uint32_t sum = 0;
        BOOST_TEST(rise(width, words.data(), sum) == all_rise, width << " bits, round " << round);
        if (all_rise) BOOST_TEST(7 + sum == values.back());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(blocks_written_by_bpcells_unpack_correctly) {
  Block index;
  index.fill(102);
  std::copy_n(std::array{100u, 102u, 105u, 101u}.begin(), 4, index.begin());
  const std::vector<uint32_t> packed_index = {0x10, 4, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0};
  BOOST_TEST(unpack(3, Transform::zigzag_difference, 100, packed_index) == index,
             boost::test_tools::per_element());

  Block val;
  val.fill(1);
  val[24] = 24;
  std::vector<uint32_t> packed_val(20);
  packed_val[0] = 0xc0000000;
  packed_val[4] = 5;
  BOOST_TEST(unpack(5, Transform::minus_one, 0, packed_val) == val, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(test_writer_packs_like_bpcells) {
  std::vector<uint32_t> index(130, 102);
  std::copy_n(std::array{100u, 102u, 105u, 101u}.begin(), 4, index.begin());
  index[128] = 7;
  index[129] = 3;
  const auto packed =
      plainfs::bpcells_writer::pack(index, plainfs::bpcells_writer::Packing::zigzag_difference);
  const std::vector<uint32_t> expected = {0x10, 4, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0,
                                          0,    7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  BOOST_TEST(packed.data == expected, boost::test_tools::per_element());
  BOOST_TEST(packed.idx == (std::vector<uint32_t>{0, 12, 24}), boost::test_tools::per_element());
  BOOST_TEST(packed.starts == (std::vector<uint32_t>{100, 7}), boost::test_tools::per_element());
  BOOST_TEST(packed.idx_offsets == (std::vector<uint64_t>{0, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
