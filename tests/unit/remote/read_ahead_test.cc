#include "formats/core/remote/block_pool.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs::remote;

namespace {

uint64_t count(BlockRange range) {
  return range.end - range.first;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(read_ahead)

BOOST_AUTO_TEST_CASE(a_single_read_fetches_nothing_more) {
  ReadAhead ahead(128);
  BOOST_TEST(count(ahead.after({7, 8})) == 0U);
  BOOST_TEST(count(ahead.after({1000, 1001})) == 0U);
}

BOOST_AUTO_TEST_CASE(sequence_is_fetched_ahead_in_doubling_steps) {
  ReadAhead ahead(128);
  ahead.after({0, 1});
  uint64_t asked = 1, most = 0;
  for (uint64_t block = 1; block < 2000; ++block) {
    const BlockRange next = ahead.after({block, block + 1});
    if (count(next) == 0) continue;
    BOOST_TEST(next.first >= asked);  // no block is named twice
    BOOST_TEST(next.first <= std::max(asked, block + 1));
    asked = next.end;
    most = std::max(most, asked - (block + 1));
  }
  BOOST_TEST(most == 128U);
}

BOOST_AUTO_TEST_CASE(the_reader_is_never_without_blocks_once_the_window_is_open) {
  ReadAhead ahead(128);
  uint64_t asked = 0;
  for (uint64_t block = 0; block < 5000; ++block) {
    asked = std::max(asked, ahead.after({block, block + 1}).end);
    if (block > 400) BOOST_TEST(asked >= block + 1 + 64);
  }
}

BOOST_AUTO_TEST_CASE(two_sequences_are_followed_side_by_side) {
  ReadAhead ahead(64);
  uint64_t first = 0, second = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    first = std::max(first, ahead.after({i, i + 1}).end);
    second = std::max(second, ahead.after({100'000 + i, 100'001 + i}).end);
  }
  BOOST_TEST(first > 310U);
  BOOST_TEST(second > 100'310U);
}

BOOST_AUTO_TEST_CASE(parallel_sequences_share_the_read_ahead_limit) {
  constexpr uint64_t kMax = 128, kSequences = 8, kApart = 100'000;
  ReadAhead ahead(kMax);
  uint64_t asked[kSequences] = {}, most = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    for (uint64_t sequence = 0; sequence < kSequences; ++sequence) {
      const uint64_t block = sequence * kApart + i;
      asked[sequence] = std::max(asked[sequence], ahead.after({block, block + 1}).end);
      if (i > 100) most = std::max(most, asked[sequence] - (block + 1));
    }
  }
  BOOST_TEST(most == kMax / kSequences);
  // One that remains alone gets the whole limit again.
  for (uint64_t block = 1000; block < 2000; ++block)
    asked[0] = std::max(asked[0], ahead.after({block, block + 1}).end);
  BOOST_TEST(asked[0] > 2000 + kMax / 2);
}

// Threads that take a part each: blocks that the next thread has already read are not fetched again for the
// previous one.
BOOST_AUTO_TEST_CASE(read_ahead_stops_at_the_start_of_another_sequence) {
  ReadAhead ahead(64);
  for (uint64_t i = 0; i < 300; ++i) ahead.after({1000 + i, 1001 + i});
  uint64_t asked = 0;
  for (uint64_t i = 900; i < 999; ++i) asked = std::max(asked, ahead.after({i, i + 1}).end);
  BOOST_TEST(asked == 1000U);
  // A read that includes the last block of one part and the first of the next does not go further either.
  BOOST_TEST(count(ahead.after({999, 1001})) == 0U);
  // A reader that continues from there is followed again.
  for (uint64_t i = 1001; i < 1200; ++i) asked = std::max(asked, ahead.after({i, i + 1}).end);
  BOOST_TEST(asked > 1230U);
}

BOOST_AUTO_TEST_CASE(rereading_a_block_requests_nothing) {
  ReadAhead ahead(64);
  ahead.after({5, 6});
  for (int i = 0; i < 10; ++i) BOOST_TEST(count(ahead.after({5, 6})) == 0U);
}

BOOST_AUTO_TEST_CASE(scattered_reads_request_nothing_ahead) {
  ReadAhead ahead(64);
  for (uint64_t i = 0; i < 200; ++i) {
    const uint64_t block = (i * 7919) % 100'003 * 100;
    BOOST_TEST(count(ahead.after({block, block + 1})) == 0U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
