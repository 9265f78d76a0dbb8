#include "formats/schemas/bpcells/packed_array.h"

#include <random>

#include "tests/unit/bpcells/store.h"

namespace {

using namespace plainfs;
using namespace plainfs::bpcells;
using bpcells_writer::PackedWords;
using bpcells_writer::Packing;

// An array that counts the elements read.
class CountingArray : public Array {
 public:
  explicit CountingArray(ArrayPtr inner) : Array(inner->dtype(), inner->shape()), inner_(inner) {}
  Elements read(const Box& box) const override {
    elements_read += box.extent[0];
    return inner_->read(box);
  }
  mutable std::atomic<uint64_t> elements_read{0};

 private:
  ArrayPtr inner_;
};

PackedParts parts_of(const PackedWords& words, bool starts) {
  return {memory_array(words.data), memory_array(words.idx), memory_array(words.idx_offsets),
          starts ? memory_array(words.starts) : nullptr};
}

std::vector<uint32_t> values_of_all_widths(size_t count) {
  std::mt19937 random(7);
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = random() >> (i / 128 % 32);
  return values;
}

ArrayPtr open(const PackedWords& words, Transform transform, uint64_t count, Context& context) {
  return packed_array("val", parts_of(words, uses_starts(transform)), transform, count, nullptr, context);
}

void damage(const std::string& words, uint64_t count, const std::function<void(PackedWords&)>& break_it) {
  TestContext context;
  PackedWords packed = bpcells_writer::pack(std::vector<uint32_t>(count, 3), Packing::zigzag_difference);
  break_it(packed);
  require_error(Errc::damaged, words,
                [&] { read_all(*open(packed, Transform::zigzag_difference, count, context)); });
}

BOOST_AUTO_TEST_SUITE(packed_arrays)

BOOST_AUTO_TEST_CASE(packed_values_are_read_back) {
  TestContext context;
  const std::vector<std::pair<Packing, Transform>> kinds = {
      {Packing::plain, Transform::none},
      {Packing::minus_one, Transform::minus_one},
      {Packing::difference, Transform::difference},
      {Packing::zigzag_difference, Transform::zigzag_difference}};
  for (const size_t count : {0, 1, 127, 128, 129, 16384, 16385, 50000}) {
    const std::vector<uint32_t> values = values_of_all_widths(count);
    for (const auto& [packing, transform] : kinds) {
      const ArrayPtr array = open(bpcells_writer::pack(values, packing), transform, count, context);
      BOOST_TEST((numbers<uint32_t>(array) == values),
                 count << " values, transform " << static_cast<int>(transform));
    }
  }
}

BOOST_AUTO_TEST_CASE(any_slice_equals_the_slice_of_the_whole) {
  TestContext context;
  const std::vector<uint32_t> values = values_of_all_widths(40000);
  const ArrayPtr array = open(bpcells_writer::pack(values, Packing::zigzag_difference),
                              Transform::zigzag_difference, 40000, context);
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const uint64_t first = random() % 40000;
    const uint64_t count = random() % (40000 - first) + 1;
    const Elements slice = array->read(range(first, count));
    BOOST_REQUIRE_EQUAL(slice.values<uint32_t>().size(), count);
    BOOST_TEST(std::equal(slice.values<uint32_t>().begin(), slice.values<uint32_t>().end(),
                          values.begin() + static_cast<ptrdiff_t>(first)));
  }
}

BOOST_AUTO_TEST_CASE(one_value_reads_one_block_and_part_of_its_index) {
  TestContext context;
  const PackedWords words = bpcells_writer::pack(values_of_all_widths(1000000), Packing::difference);
  const auto data = std::make_shared<CountingArray>(memory_array(words.data));
  const auto idx = std::make_shared<CountingArray>(memory_array(words.idx));
  const auto starts = std::make_shared<CountingArray>(memory_array(words.starts));
  const ArrayPtr array = packed_array("start", {data, idx, memory_array(words.idx_offsets), starts},
                                      Transform::difference, 1000000, nullptr, context);
  BOOST_TEST(idx->elements_read == 2u);
  BOOST_TEST(!array->may_be_missing());
  array->read(range(500000, 1));
  BOOST_TEST(data->elements_read <= 256u);
  BOOST_TEST(idx->elements_read == 2 + 4096u);
  BOOST_TEST(starts->elements_read == 4096u);
  array->read(range(500200, 1));
  BOOST_TEST(idx->elements_read == 2 + 4096u);
  BOOST_TEST(context.counters.chunks_decoded == 2u);
}

BOOST_AUTO_TEST_CASE(values_read_in_place_equal_plain_reads) {
  TestContext context;
  const std::vector<uint32_t> values = values_of_all_widths(3000);
  const ArrayPtr array = open(bpcells_writer::pack(values, Packing::zigzag_difference),
                              Transform::zigzag_difference, 3000, context);
  std::vector<uint32_t> out(2000);
  BOOST_TEST(array->read_into(range(77, 2000), std::as_writable_bytes(std::span(out))));
  BOOST_TEST(out == std::vector<uint32_t>(values.begin() + 77, values.begin() + 2077));
}

// Runs of any lengths, mostly sorted. In some rounds one value is unsorted, or equals the limit.
BOOST_AUTO_TEST_CASE(rising_runs_are_recognised) {
  TestContext context;
  std::mt19937 random(11);
  int rising = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<uint64_t> ends;
    std::vector<uint32_t> values;
    uint32_t largest = 0;
    while (values.size() < 3000) {
      uint32_t value = random() % 50;
      for (size_t n = random() % 700; n > 0; --n, value += 1 + random() % (round % 2 ? 40 : 3)) {
        values.push_back(value);
        largest = std::max(largest, value);
      }
      ends.push_back(values.size());
    }
    const size_t changed = random() % values.size();
    if (round % 3 == 1) values[changed] = random() % 2 ? 0 : values[changed ? changed - 1 : 0];
    const uint64_t limit = uint64_t{largest} + (round % 3 != 2);
    const ArrayPtr array = open(bpcells_writer::pack(values, Packing::zigzag_difference),
                                Transform::zigzag_difference, values.size(), context);
    const size_t skipped = random() % ends.size();
    const uint64_t first = skipped == 0 ? 0 : ends[skipped - 1];
    bool expected = true;
    for (size_t run = skipped; run < ends.size(); ++run)
      for (uint64_t i = run == skipped ? first : ends[run - 1]; i < ends[run]; ++i)
        expected &= values[i] < limit && (i == (run == 0 ? 0 : ends[run - 1]) || values[i - 1] < values[i]);
    rising += expected;
    BOOST_TEST((array->runs_rise(first, std::span(ends).subspan(skipped), limit) == expected),
               "round " << round);
  }
  BOOST_TEST(rising > 50);
  BOOST_TEST(rising < 250);
}

BOOST_AUTO_TEST_CASE(an_added_array_is_added) {
  TestContext context;
  const std::vector<uint32_t> lengths(20000, 5);
  std::vector<uint32_t> begins(20000);
  for (uint32_t i = 0; i < 20000; ++i) begins[i] = 0xffffff00u + i;
  const ArrayPtr array = packed_array("end", parts_of(bpcells_writer::pack(lengths, Packing::plain), false),
                                      Transform::none, 20000, memory_array(begins), context);
  const std::vector<uint32_t> ends = numbers<uint32_t>(array);
  BOOST_TEST(ends[0] == 0xffffff05u);
  BOOST_TEST(ends[19999] == begins[19999] + 5);
}

BOOST_AUTO_TEST_CASE(without_idx_offsets_positions_stay_as_stored) {
  TestContext context;
  const std::vector<uint32_t> values = values_of_all_widths(1000);
  PackedParts parts = parts_of(bpcells_writer::pack(values, Packing::plain), false);
  parts.idx_offsets = nullptr;
  BOOST_TEST(
      (numbers<uint32_t>(packed_array("cell", parts, Transform::none, 1000, nullptr, context)) == values));
}

// 2^32 + 512 words with zeros except in the last block.
class FarWords : public Array {
 public:
  FarWords() : Array(type_of<uint32_t>(), {(uint64_t{1} << 32) + 512}) {}
  Elements read(const Box& box) const override {
    Elements words = zero_elements(dtype(), box.extent[0]);
    for (uint64_t i = 0; i < box.extent[0]; ++i) {
      const uint64_t word = box.origin[0] + i;
      if (word >= (uint64_t{1} << 32))
        words.mutable_values<uint32_t>()[i] = static_cast<uint32_t>(word - (uint64_t{1} << 32));
    }
    return words;
  }
};

// idx is 0, 128, 256, …, and is stored as 0 again when it reaches 2^32.
class FarIdx : public Array {
 public:
  explicit FarIdx(uint64_t count) : Array(type_of<uint32_t>(), {count}) {}
  Elements read(const Box& box) const override {
    Elements idx = zero_elements(dtype(), box.extent[0]);
    for (uint64_t i = 0; i < box.extent[0]; ++i) {
      idx.mutable_values<uint32_t>()[i] = static_cast<uint32_t>(128 * (box.origin[0] + i));
    }
    return idx;
  }
};

BOOST_AUTO_TEST_CASE(positions_beyond_32_bits_come_from_idx_offsets) {
  TestContext context;
  const uint64_t blocks = (uint64_t{1} << 25) + 4;
  const ArrayPtr offsets = memory_array(std::vector<uint64_t>{0, uint64_t{1} << 25, blocks + 1});
  const ArrayPtr array = packed_array(
      "val", {std::make_shared<FarWords>(), std::make_shared<FarIdx>(blocks + 1), offsets, nullptr},
      Transform::minus_one, blocks * 128, nullptr, context);
  const Elements last = array->read(range(blocks * 128 - 2, 2));
  BOOST_TEST(last.values<uint32_t>()[0] == 510u);
  BOOST_TEST(last.values<uint32_t>()[1] == 511u);
  BOOST_TEST(array->read(range((uint64_t{1} << 32) - 1, 1)).values<uint32_t>()[0] == 0u);
}

BOOST_AUTO_TEST_CASE(parts_of_mismatched_lengths_are_damage) {
  damage("val_idx has 4 values, expected 5", 500, [](PackedWords& p) { p.idx.pop_back(); });
  damage("val_idx has 6 values, expected 5", 500, [](PackedWords& p) { p.idx.push_back(p.idx.back()); });
  damage("val_starts has 3 values, expected 4", 500, [](PackedWords& p) { p.starts.pop_back(); });
  damage("val_data has", 500, [](PackedWords& p) { p.idx.back() += 4; });
}

BOOST_AUTO_TEST_CASE(idx_offsets_not_covering_idx_are_damage) {
  damage("val_idx_offsets has 0 values", 500, [](PackedWords& p) { p.idx_offsets.clear(); });
  damage("val_idx_offsets has 1 values", 500, [](PackedWords& p) { p.idx_offsets = {0}; });
  damage("val_idx_offsets has 3 values", 500, [](PackedWords& p) { p.idx_offsets = {0, 2, 5}; });
  damage("does not rise from 0 to 5", 500, [](PackedWords& p) { p.idx_offsets = {1, 5}; });
  damage("does not rise from 0 to 5", 500, [](PackedWords& p) { p.idx_offsets = {0, 4}; });
}

BOOST_AUTO_TEST_CASE(idx_without_valid_widths_is_damage) {
  const auto with_idx = [](std::vector<uint32_t> idx) {
    return [idx](PackedWords& packed) {
      packed.data.resize(1000);
      packed.idx = idx;
    };
  };
  damage("begins with 4", 500, with_idx({4, 4, 4, 4, 4}));
  damage("val_idx[1]: a block from word 8 to 4", 500, with_idx({0, 8, 4, 8, 8}));
  damage("val_idx[0]: a block from word 0 to 6", 500, with_idx({0, 6, 8, 8, 8}));
  damage("val_idx[2]: a block from word 8 to 140", 500, with_idx({0, 4, 8, 140, 140}));
  damage("val_idx[0]: a block from word 0 to 2000", 500, with_idx({0, 2000, 8, 8, 8}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
