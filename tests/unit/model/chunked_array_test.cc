#include "formats/core/model/arrays/chunked_array.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "formats/core/model/arrays/assembly.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/unit/model/random_elements.h"

using namespace plainfs;

namespace {

const DType kInt32 = number_type(Kind::integer, 4);

// An array in memory with chunks. Elements beyond its end are zero.
class TestArray : public ChunkedArray {
 public:
  TestArray(Context& context, DType type, ChunkGrid chunks, Elements all)
      : ChunkedArray(context, std::move(type), std::move(chunks)), all_(std::move(all)) {}

  mutable std::atomic<int> loads{0};

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override {
    ++loads;
    const Shape extent = grid().chunk_shape(chunk);
    const Elements zero = zero_elements(dtype(), 1);
    Elements elements;
    Box box{Shape(extent.size()), extent};
    Shape beyond = shape();
    for (size_t d = 0; d < extent.size(); ++d) {
      box.origin[d] = grid().start(d, chunk[d]);
      beyond[d] = std::max(beyond[d], box.origin[d] + extent[d]);
    }
    for (const uint64_t place : places_in_box(beyond, box)) {
      const std::optional<uint64_t> stored = place_in_array(place, beyond);
      append(dtype(), elements, stored ? all_ : zero, stored.value_or(0), 1);
    }
    return elements;
  }

 private:
  // Returns a place in an array of shape `beyond` as a place in this array, or nullopt outside.
  std::optional<uint64_t> place_in_array(uint64_t place, const Shape& beyond) const {
    uint64_t result = 0;
    uint64_t stride = 1;
    for (size_t d = beyond.size(); d-- > 0; place /= beyond[d]) {
      const uint64_t at = place % beyond[d];
      if (at >= shape()[d]) return std::nullopt;
      result += at * stride;
      stride *= shape()[d];
    }
    return result;
  }

  Elements all_;
};

ChunkGrid random_grid(const Shape& shape, Random& random) {
  Shape steps(shape.size());
  std::vector<std::vector<uint64_t>> lengths(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    steps[d] = 1 + random() % 6;
    if (random() % 3 != 0) continue;
    for (uint64_t sum = 0; sum < shape[d] || random() % 4 == 0; sum += lengths[d].back()) {
      lengths[d].push_back(1 + random() % 5);
    }
  }
  return ChunkGrid(shape, steps, lengths);
}

Elements numbered(uint64_t count) {
  Elements elements = zero_elements(kInt32, count);
  for (uint64_t i = 0; i < count; ++i) elements.mutable_values<int32_t>()[i] = static_cast<int32_t>(i);
  return elements;
}

// An array with large chunks and separately readable rows.
class RowsArray : public TestArray {
 public:
  using TestArray::TestArray;
  mutable std::atomic<int> row_loads{0};
  bool are_rows_alone = false;

 protected:
  bool loads_rows_alone() const override { return are_rows_alone; }
  std::optional<Elements> load_rows(std::span<const uint64_t> chunk, uint64_t first,
                                    uint64_t count) const override {
    ++row_loads;
    const Elements all = load_chunk(chunk);
    --loads;
    Box rows = whole(grid().chunk_shape(chunk));
    rows.origin[0] = first;
    rows.extent[0] = count;
    return cut(dtype(), all, grid().chunk_shape(chunk), rows);
  }
};

// Returns the same value from every load.
class ConstantArray : public ChunkedArray {
 public:
  ConstantArray(Context& context, DType type, ChunkGrid chunks, Elements each)
      : ChunkedArray(context, std::move(type), std::move(chunks)), each_(std::move(each)) {}

 protected:
  Elements load_chunk(std::span<const uint64_t>) const override { return each_; }

 private:
  Elements each_;
};

class FailingArray : public ChunkedArray {
 public:
  using ChunkedArray::ChunkedArray;

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override {
    if (chunk[0] == 3) throw damaged("crc32c is 1, expected 2");
    return zero_elements(dtype(), 4);
  }
};

bool has(const Error& error, std::string_view text) {
  return std::string_view(error.what()).find(text) != std::string_view::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(chunk_grid)

BOOST_AUTO_TEST_CASE(regular_grid_has_equal_steps_and_an_overhang) {
  const ChunkGrid grid({10, 4}, {4, 4});
  BOOST_TEST(grid.rank() == 2u);
  BOOST_TEST(grid.chunks_along(0) == 3u);
  BOOST_TEST(grid.chunk_count() == 3u);
  BOOST_TEST(grid.chunk_at(0, 9) == 2u);
  BOOST_TEST(grid.start(0, 2) == 8u);
  BOOST_TEST(grid.length(0, 2) == 4u);
  BOOST_TEST(grid.number_of(std::vector<uint64_t>{2, 0}) == 2u);
}

BOOST_AUTO_TEST_CASE(rectilinear_grid_has_its_own_lengths) {
  const ChunkGrid grid({10, 6}, {1, 3}, {{3, 2, 5, 7}, {}});
  BOOST_TEST(grid.chunks_along(0) == 3u);  // chunk 7 is empty
  BOOST_TEST(grid.chunks_along(1) == 2u);
  BOOST_TEST(grid.chunk_at(0, 2) == 0u);
  BOOST_TEST(grid.chunk_at(0, 3) == 1u);
  BOOST_TEST(grid.chunk_at(0, 9) == 2u);
  BOOST_TEST(grid.start(0, 1) == 3u);
  BOOST_TEST(grid.length(0, 1) == 2u);
  BOOST_TEST((grid.chunk_shape(std::vector<uint64_t>{1, 1}) == Shape{2, 3}));
}

BOOST_AUTO_TEST_CASE(impossible_grid_is_damaged) {
  BOOST_CHECK_EXCEPTION(ChunkGrid({10}, {0}), Error, mentions("the chunk length is 0"));
  BOOST_CHECK_EXCEPTION(ChunkGrid({10}, {5, 5}), Error, mentions("chunks of rank 2 for an array of rank 1"));
  BOOST_CHECK_EXCEPTION(ChunkGrid({10}, {1}, {{3, 3}}), Error,
                        mentions("the chunk lengths add up to 6 for an axis of 10"));
  BOOST_CHECK_EXCEPTION(ChunkGrid({10}, {1}, {{10, 0, 3}, {}}), Error,
                        mentions("chunks of rank 1 for an array of rank 1"));
  BOOST_CHECK_EXCEPTION(ChunkGrid({10}, {1}, {{5, 0, 5}}), Error, mentions("the chunk length is 0"));
  const uint64_t huge = uint64_t{1} << 40;
  BOOST_CHECK_EXCEPTION(ChunkGrid({huge, huge}, {1, 1}), Error,
                        mentions("1099511627776 * 1099511627776 is over 64 bits"));
}

BOOST_AUTO_TEST_CASE(scalar_and_empty_grids_count_their_chunks) {
  BOOST_TEST(ChunkGrid({}, {}).chunk_count() == 1u);
  BOOST_TEST(ChunkGrid({0, 5}, {2, 2}).chunk_count() == 0u);
}

BOOST_AUTO_TEST_CASE(chunk_far_larger_than_the_array_is_one_chunk) {
  const ChunkGrid grid({10}, {~uint64_t{0}});
  BOOST_TEST(grid.chunk_count() == 1u);
  BOOST_TEST(grid.chunk_at(0, 9) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(chunked_array)

BOOST_AUTO_TEST_CASE(any_box_of_any_grid_matches_the_plain_array) {
  Random random(3);
  TestContext context(20000, 2);  // a few chunks fit
  for (const DType& type : sample_types()) {
    for (int round = 0; round < 30; ++round) {
      Shape shape(random() % 6);
      for (uint64_t& axis : shape) axis = random() % (shape.size() < 3 ? 12 : 5);
      const Elements all = random_elements(type, element_count(shape), random);
      const TestArray array(context, type, random_grid(shape, random), all);
      for (int reads = 0; reads < 3; ++reads) {
        const Box box = random_box(shape, random);
        const Elements part = array.read(box);
        check_layout(type, part, element_count(box.extent));
        std::vector<std::string> expected;
        for (const uint64_t place : places_in_box(shape, box)) expected.push_back(shown(type, all, place));
        BOOST_TEST_REQUIRE((all_shown(type, part) == expected));
        BOOST_TEST_REQUIRE((all_shown(type, array.peek(box)) == expected));
        array.release(random_box(shape, random));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(each_chunk_is_decoded_once_while_it_is_held) {
  TestContext context;
  const TestArray array(context, kInt32, ChunkGrid({100}, {10}), numbered(100));
  for (uint64_t i = 0; i < 100; ++i) {
    BOOST_TEST(array.read(range(i, 1)).values<int32_t>()[0] == static_cast<int32_t>(i));
  }
  read_all(array);
  BOOST_TEST(array.loads == 10);
  BOOST_TEST(context.counters.chunks_decoded == 10u);
  BOOST_TEST(context.counters.bytes_decoded >= 400u);
}

BOOST_AUTO_TEST_CASE(rows_of_a_large_chunk_are_decoded_alone_at_first) {
  TestContext context;
  const Shape shape{1000, 700};
  const RowsArray array(context, kInt32, ChunkGrid(shape, {600, 500}), numbered(700'000));
  const auto is_right = [&](uint64_t row, uint64_t rows, uint64_t column, uint64_t columns) {
    const Elements part = array.peek({{row, column}, {rows, columns}});
    for (uint64_t i = 0; i < part.count; ++i) {
      const uint64_t expected = (row + i / columns) * 700 + column + i % columns;
      if (part.values<int32_t>()[i] != static_cast<int32_t>(expected)) return false;
    }
    return part.count == rows * columns;
  };
  BOOST_TEST(is_right(598, 4, 300, 350));  // all four chunks
  BOOST_TEST(array.row_loads == 4);
  BOOST_TEST(array.loads == 0);
  BOOST_TEST(is_right(0, 300, 0, 10));  // more than a few rows
  BOOST_TEST(array.row_loads == 4);
  BOOST_TEST(array.loads == 1);
  BOOST_TEST(is_right(7, 1, 0, 500));  // cached
  BOOST_TEST(array.row_loads == 4);
  for (uint64_t i = 0; i < 10; ++i) BOOST_TEST(is_right(900 + i, 1, 0, 500));
  BOOST_TEST(array.row_loads == 6);
  BOOST_TEST(array.loads == 2);
  array.read({{999, 699}, {1, 1}});
  BOOST_TEST(array.row_loads == 6);
  BOOST_TEST(array.loads == 3);
}

BOOST_AUTO_TEST_CASE(independent_rows_of_small_chunks_are_read_alone) {
  for (const bool sequential : {false, true}) {
    TestContext context;
    RowsArray array(context, kInt32, ChunkGrid({1000}, {100}), numbered(1000));
    array.are_rows_alone = true;
    const auto part_of = [&](uint64_t first, uint64_t count) {
      const Elements part = sequential ? array.peek(range(first, count)) : array.read(range(first, count));
      BOOST_TEST(part.values<int32_t>().front() == static_cast<int32_t>(first));
      BOOST_TEST(part.values<int32_t>().back() == static_cast<int32_t>(first + count - 1));
    };
    for (int times = 1; times <= 3; ++times) {
      part_of(297, 6);  // of two chunks
      BOOST_TEST(array.row_loads == 2 * times);
      BOOST_TEST(array.loads == 0);
    }
    part_of(297, 6);  // requested repeatedly
    BOOST_TEST(array.row_loads == 6);
    BOOST_TEST(array.loads == 2);
    part_of(500, 50);  // more than a few rows of the chunk
    part_of(501, 2);   // cached
    BOOST_TEST(array.row_loads == 6);
    BOOST_TEST(array.loads == 3);
  }
}

BOOST_AUTO_TEST_CASE(passed_chunks_are_dropped_at_their_end) {
  TestContext context;
  const TestArray array(context, kInt32, ChunkGrid({10, 10}, {4, 4}), numbered(100));
  const auto loads_of_all = [&] {
    array.loads = 0;
    read_all(array);
    return array.loads.load();
  };
  BOOST_TEST(loads_of_all() == 9);
  BOOST_TEST(loads_of_all() == 0);
  array.release({{0, 0}, {3, 10}});
  BOOST_TEST(loads_of_all() == 0);
  array.release({{3, 0}, {1, 8}});
  BOOST_TEST(loads_of_all() == 2);
  array.release({{7, 0}, {3, 10}});
  BOOST_TEST(loads_of_all() == 6);
}

BOOST_AUTO_TEST_CASE(arrays_of_one_context_do_not_share_chunks) {
  TestContext context;
  const TestArray a(context, kInt32, ChunkGrid({10}, {10}), numbered(10));
  const ConstantArray b(context, kInt32, ChunkGrid({10}, {10}), zero_elements(kInt32, 10));
  BOOST_TEST(a.read(range(7, 1)).values<int32_t>()[0] == 7);
  BOOST_TEST(b.read(range(7, 1)).values<int32_t>()[0] == 0);
}

BOOST_AUTO_TEST_CASE(absent_chunk_is_one_repeated_element) {
  TestContext context;
  const uint64_t huge = uint64_t{1} << 62;
  Elements seven = zero_elements(kInt32, 1);
  seven.mutable_values<int32_t>()[0] = 7;
  const ConstantArray array(context, kInt32, ChunkGrid({huge}, {huge / 2}), seven);
  const Elements part = array.read(range(huge / 2 - 3, 6));
  BOOST_TEST((part.count == 6u && part.values<int32_t>().size() == 6u));
  for (const int32_t value : part.values<int32_t>()) BOOST_TEST(value == 7);
  BOOST_TEST(array.read(range(5, 2)).values<int32_t>()[1] == 7);

  TextBuilder missing;
  missing.add_missing();
  const ConstantArray texts(context, text_type(), ChunkGrid({6, 6}, {3, 3}), missing.finish());
  const Elements all = read_all(texts);
  BOOST_TEST(all.count == 36u);
  for (uint64_t i = 0; i < 36; ++i) BOOST_TEST(all.is_missing(i));
}

BOOST_AUTO_TEST_CASE(damaged_chunk_spares_the_others) {
  TestContext context;
  const FailingArray array(context, kInt32, ChunkGrid({20, 2}, {2, 2}));
  BOOST_CHECK_EXCEPTION(read_all(array), Error, [](const Error& error) {
    return error.code() == Errc::damaged && has(error, "crc32c is 1");
  });
  BOOST_TEST(array.read({{8, 0}, {4, 2}}).count == 8u);
}

BOOST_AUTO_TEST_CASE(chunk_of_the_wrong_size_is_damaged) {
  TestContext context;
  const ConstantArray shorter(context, kInt32, ChunkGrid({10}, {5}), zero_elements(kInt32, 4));
  BOOST_CHECK_EXCEPTION(read_all(shorter), Error,
                        [](const Error& e) { return has(e, "4 elements, expected 5"); });
  const ConstantArray narrower(context, kInt32, ChunkGrid({5}, {5}),
                               zero_elements(number_type(Kind::integer, 2), 5));
  BOOST_CHECK_EXCEPTION(read_all(narrower), Error, mentions("10 bytes for 5 elements of 4 bytes"));
  Elements text = zero_elements(text_type(), 5);
  text.offsets[3] = 9;
  const ConstantArray crooked(context, text_type(), ChunkGrid({5}, {5}), text);
  BOOST_CHECK_EXCEPTION(read_all(crooked), Error, mentions("the offsets of 5 elements do not fit 0 values"));
}

BOOST_AUTO_TEST_CASE(box_outside_the_array_is_an_error) {
  TestContext context;
  const TestArray array(context, kInt32, ChunkGrid({10}, {4}), numbered(10));
  BOOST_CHECK_EXCEPTION(array.read(range(8, 3)), Error,
                        mentions("(3) elements at (8) are outside the array of shape (10)"));
  BOOST_CHECK_EXCEPTION(array.read(range(11, 0)), Error,
                        mentions("(0) elements at (11) are outside the array of shape (10)"));
  BOOST_CHECK_EXCEPTION(
      array.read(range(5, ~uint64_t{0})), Error,
      mentions("(18446744073709551615) elements at (5) are outside the array of shape (10)"));
  BOOST_TEST(array.read(range(10, 0)).count == 0u);
}

BOOST_AUTO_TEST_CASE(eight_threads_read_through_a_cache_of_three_chunks) {
  TestContext context(3 * (4 * 100 + 500), 2);
  const TestArray array(context, kInt32, ChunkGrid({1000}, {100}), numbered(1000));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<uint64_t>(t));
      for (int i = 0; i < 200; ++i) {
        const uint64_t first = random() % 900;
        const Elements part = array.read(range(first, 100));
        for (uint64_t k = 0; k < 100; ++k)
          wrong += part.values<int32_t>()[k] != static_cast<int32_t>(first + k);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(context.cache.statistics().held_bytes <= context.cache.statistics().budget_bytes);
}

BOOST_AUTO_TEST_SUITE_END()
