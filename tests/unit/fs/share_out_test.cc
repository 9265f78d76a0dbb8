#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "fs/commands/plan/export_plan.h"

namespace plainfs {
namespace {

using Shares = std::vector<std::vector<PlannedRange>>;
constexpr uint64_t kMega = 1 << 20;

std::vector<PlannedFile> files_of(const std::vector<uint64_t>& sizes) {
  std::vector<PlannedFile> files;
  for (const uint64_t size : sizes) files.push_back({"f" + std::to_string(files.size()), size, {}});
  return files;
}

uint64_t anywhere(size_t, uint64_t offset) {
  return offset;
}

// Checks that each byte belongs to exactly one task, and that a task has its files in order. Returns the
// bytes of each task.
std::vector<uint64_t> check(const std::vector<PlannedFile>& files, const Shares& shares) {
  std::vector<uint64_t> sums, ends(files.size());
  std::vector<bool> is_somebodys(files.size());
  for (const auto& task : shares) {
    uint64_t& sum = sums.emplace_back(0);
    for (size_t i = 0; i < task.size(); ++i) {
      const PlannedRange& range = task[i];
      if (i > 0) BOOST_REQUIRE_LT(task[i - 1].file, range.file);
      BOOST_REQUIRE_EQUAL(range.first, ends[range.file]);  // tasks in order
      if (files[range.file].size > 0) BOOST_REQUIRE_GT(range.size, 0u);
      BOOST_REQUIRE(files[range.file].size > 0 || !is_somebodys[range.file]);
      is_somebodys[range.file] = true;
      ends[range.file] += range.size;
      sum += range.size;
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    BOOST_CHECK_EQUAL(ends[i], files[i].size);
    BOOST_CHECK(is_somebodys[i]);
  }
  return sums;
}

BOOST_AUTO_TEST_SUITE(share_out_)

BOOST_AUTO_TEST_CASE(one_large_file_is_shared_by_all) {
  const auto files = files_of({1000 * kMega});
  const std::vector<uint64_t> sums = check(files, share_out(files, 7, anywhere));
  BOOST_REQUIRE_EQUAL(sums.size(), 7u);
  for (const uint64_t sum : sums) BOOST_CHECK_LT(sum, 144 * kMega);
}

BOOST_AUTO_TEST_CASE(files_are_cut_only_at_allowed_offsets) {
  const auto files = files_of({1000 * kMega});
  const auto cut = [](size_t, uint64_t offset) { return offset / (100 * kMega) * (100 * kMega); };
  const Shares shares = share_out(files, 7, cut);
  check(files, shares);
  for (const auto& task : shares)
    for (const PlannedRange& range : task) BOOST_CHECK_EQUAL(range.first % (100 * kMega), 0u);
}

BOOST_AUTO_TEST_CASE(indivisible_file_is_one_task) {
  const auto files = files_of({1000 * kMega, 1});
  const Shares shares = share_out(files, 4, [](size_t, uint64_t) { return uint64_t{0}; });
  check(files, shares);
}

// The files of a packed folder even out what the others leave.
BOOST_AUTO_TEST_CASE(packed_files_go_whole_to_the_task_with_least) {
  auto files = files_of({50 * kMega, 100 * kMega, 30 * kMega, 90 * kMega, 1000, 200 * kMega});
  for (const size_t packed : {1, 2, 3, 4, 5}) files[packed].packed = 0;
  const Shares shares = share_out(files, 3, anywhere);
  const std::vector<uint64_t> sums = check(files, shares);
  for (const auto& task : shares)
    for (const PlannedRange& range : task)
      if (range.file > 0) BOOST_CHECK_EQUAL(range.size, files[range.file].size);
  BOOST_CHECK_LT(*std::max_element(sums.begin(), sums.end()), 220 * kMega);
  BOOST_CHECK_GT(*std::min_element(sums.begin(), sums.end()), 115 * kMega);
}

BOOST_AUTO_TEST_CASE(large_files_are_shared_equally) {
  const auto files = files_of({300 * kMega, 10 * kMega, 90 * kMega, 40 * kMega});
  const Shares shares = share_out(files, 3, anywhere);
  check(files, shares);
  for (const auto& task : shares) {
    BOOST_REQUIRE_GE(task.size(), 2u);
    BOOST_CHECK_EQUAL(task[0].size, 100 * kMega);
    const auto third =
        std::find_if(task.begin(), task.end(), [](const auto& range) { return range.file == 2; });
    BOOST_REQUIRE(third != task.end());
    BOOST_CHECK_EQUAL(third->size, 30 * kMega);
  }
}

// The small files balance the uneven cuts of the large one.
BOOST_AUTO_TEST_CASE(small_files_balance_uneven_cuts) {
  const auto files = files_of({100 * kMega, 15 * kMega, 15 * kMega, 10 * kMega});
  const Shares shares =
      share_out(files, 2, [](size_t file, uint64_t offset) { return file == 0 ? 30 * kMega : offset; });
  const std::vector<uint64_t> sums = check(files, shares);
  BOOST_CHECK_EQUAL(sums[0], 70 * kMega);
  BOOST_CHECK_EQUAL(sums[1], 70 * kMega);
}

BOOST_AUTO_TEST_CASE(small_files_are_not_cut_and_cost_something) {
  const auto files = files_of(std::vector<uint64_t>(1000, 10));
  const Shares shares = share_out(files, 10, anywhere);
  check(files, shares);
  for (const auto& task : shares) BOOST_CHECK_EQUAL(task.size(), 100u);
}

BOOST_AUTO_TEST_CASE(files_of_all_sizes) {
  uint64_t seed = 1;
  std::vector<uint64_t> sizes;
  for (int i = 0; i < 500; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    sizes.push_back(i % 7 == 0 ? 0 : (seed >> 33) % (uint64_t{1} << (seed >> 59)));
  }
  const auto files = files_of(sizes);
  for (const size_t tasks : {1u, 2u, 3u, 64u, 5000u}) {
    const Shares shares = share_out(files, tasks, anywhere);
    BOOST_CHECK_EQUAL(shares.size(), tasks);
    check(files, shares);
  }
}

BOOST_AUTO_TEST_CASE(no_files_are_no_work) {
  const Shares shares = share_out({}, 3, anywhere);
  BOOST_CHECK_EQUAL(shares.size(), 3u);
  check({}, shares);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
