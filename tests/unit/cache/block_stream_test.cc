#include "cache/block_stream.h"

#include <boost/test/unit_test.hpp>
#include <mutex>
#include <thread>
#include <vector>

using namespace plainfs;

namespace {

constexpr size_t kBlockBytes = 1000;
constexpr uint64_t kMaxAhead = 4, kWindow = 16;

struct Block {
  uint64_t number = 0;
  size_t allocated_bytes() const { return kBlockBytes; }
};

class Numbers : public BlockStream<Block> {
 public:
  Numbers(ByteCache& cache, Workers& workers) : BlockStream(cache, workers, kMaxAhead) {}
  mutable std::atomic<int> generated{0};
  mutable std::mutex mutex;
  mutable std::vector<uint64_t> left_behind;  // guarded by mutex

 protected:
  Block make(uint64_t number) const override {
    ++generated;
    return {number};
  }
  void release(uint64_t first, uint64_t last) const override {
    const std::lock_guard lock(mutex);
    for (uint64_t i = first; i < last; ++i) left_behind.push_back(i);
  }
};

// Reads blocks [first, last) of `count` like a file. Returns false if a block differs.
bool read(Numbers& numbers, uint64_t first, uint64_t last, uint64_t count) {
  numbers.follow(first, last, count);
  for (uint64_t i = first; i < last; ++i)
    if (numbers.block(i)->number != i) return false;
  return true;
}

bool is(ReadingPlace::Range range, uint64_t begin, uint64_t end) {
  return range.begin == begin && range.end == end;
}
bool is_nothing(ReadingPlace::Range range) {
  return range.begin >= range.end;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(block_stream)

BOOST_AUTO_TEST_CASE(blocks_ahead_are_generated_once_passed_ones_released) {
  ReadingPlace place(kMaxAhead);
  ReadingPlace::Plan plan = place.advance(0, 2, 100);
  BOOST_TEST(is(plan.ahead, 1, 6));
  BOOST_TEST(is_nothing(plan.behind));
  plan = place.advance(2, 4, 100);
  BOOST_TEST(is(plan.ahead, 6, 8));
  BOOST_TEST(is_nothing(plan.behind));
  for (uint64_t i = 4; i < 20; i += 2) plan = place.advance(i, i + 2, 100);
  BOOST_TEST(is(plan.behind, 2, 4));
  BOOST_TEST(place.has_passed(3));
  BOOST_TEST(!place.has_passed(4));
}

BOOST_AUTO_TEST_CASE(requests_may_overtake_one_another) {
  ReadingPlace place(kMaxAhead);
  for (uint64_t i = 0; i < 20; i += 4) place.advance(i, i + 4, 100);  // far enough to be recognised
  place.advance(24, 28, 100);
  const ReadingPlace::Plan late = place.advance(20, 24, 100);
  BOOST_TEST(is_nothing(late.ahead));
  BOOST_TEST(is_nothing(late.behind));
  const ReadingPlace::Plan next = place.advance(28, 32, 100);
  BOOST_TEST(is(next.ahead, 32, 36));
  BOOST_TEST(is(next.behind, 12, 16));
}

BOOST_AUTO_TEST_CASE(jump_requests_and_releases_nothing) {
  ReadingPlace place(kMaxAhead);
  place.advance(0, 2, 1000);
  for (const uint64_t first : {500, 504, 100, 98, 98, 900}) {
    const ReadingPlace::Plan plan = place.advance(first, first + 2, 1000);
    BOOST_TEST(is_nothing(plan.ahead));
    BOOST_TEST(is_nothing(plan.behind));
  }
  BOOST_TEST(is(place.advance(902, 904, 1000).ahead, 903, 908));
}

BOOST_AUTO_TEST_CASE(read_ahead_grows_with_the_bytes_read) {
  ReadingPlace place(20);
  BOOST_TEST(is(place.advance(0, 1, 1000).ahead, 1, 3));
  BOOST_TEST(is(place.advance(1, 2, 1000).ahead, 3, 6));
  BOOST_TEST(is(place.advance(2, 6, 1000).ahead, 6, 18));
  BOOST_TEST(is(place.advance(6, 20, 1000).ahead, 18, 40));
  place.advance(500, 501, 1000);
  BOOST_TEST(is(place.advance(501, 502, 1000).ahead, 502, 506));
}

BOOST_AUTO_TEST_CASE(nothing_beyond_the_end_is_generated) {
  ReadingPlace place(kMaxAhead);
  BOOST_TEST(is(place.advance(0, 2, 3).ahead, 1, 3));
  BOOST_TEST(is_nothing(place.advance(2, 3, 3).ahead));
}

BOOST_AUTO_TEST_CASE(a_sequential_reader_leaves_a_window_in_the_cache) {
  ByteCache cache(1 << 30);
  Workers none(0);
  const auto numbers = std::make_shared<Numbers>(cache, none);
  for (uint64_t i = 0; i < 1000; ++i) BOOST_REQUIRE(read(*numbers, i, i + 1, 1000));
  BOOST_TEST(numbers->generated == 1000);
  BOOST_TEST(cache.statistics().held_bytes >= kWindow * kBlockBytes);
  BOOST_TEST(cache.statistics().held_bytes < 2 * kWindow * kBlockBytes);
  BOOST_TEST(numbers->left_behind.size() >= 1000 - 2 * kWindow);
  for (uint64_t i = 0; i < numbers->left_behind.size(); ++i) BOOST_TEST_REQUIRE(numbers->left_behind[i] == i);
}

BOOST_AUTO_TEST_CASE(a_reader_is_sequential_until_it_jumps) {
  ReadingPlace place(kMaxAhead);
  BOOST_TEST(place.is_sequential());
  place.advance(0, 2, 1000);
  place.advance(1, 4, 1000);
  BOOST_TEST(place.is_sequential());
  place.advance(500, 502, 1000);
  BOOST_TEST(!place.is_sequential());
  place.advance(502, 504, 1000);
  BOOST_TEST(place.is_sequential());
}

BOOST_AUTO_TEST_CASE(random_reader_gets_blocks_read_before) {
  ByteCache cache(1 << 30);
  Workers none(0);
  const auto numbers = std::make_shared<Numbers>(cache, none);
  for (int round = 0; round < 2; ++round)
    for (uint64_t i = 0; i < 50; ++i)
      BOOST_REQUIRE(read(*numbers, i * 7919 % 50 * 100, i * 7919 % 50 * 100 + 1, 5000));
  BOOST_TEST(numbers->generated == 50);
}

BOOST_AUTO_TEST_CASE(concurrent_readers_all_get_their_blocks) {
  ByteCache cache(100 * kBlockBytes);
  Workers workers(2);
  const auto numbers = std::make_shared<Numbers>(cache, workers);
  std::atomic<int> right{0};
  std::vector<std::thread> readers;
  for (uint64_t t = 0; t < 4; ++t) {
    readers.emplace_back([&, t] {
      bool all = true;
      for (uint64_t i = 0; i < 500; ++i) all &= read(*numbers, i + 30 * t, i + 30 * t + 2, 1000);
      right += all;
    });
  }
  for (std::thread& reader : readers) reader.join();
  BOOST_TEST(right == 4);
}

BOOST_AUTO_TEST_SUITE_END()
