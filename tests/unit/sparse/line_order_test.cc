#include "formats/core/sparse/line_order.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/mentions.h"
#include "tests/support/room_on_disk.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

// Returns the entries of each row of a matrix by column, in the order of the store.
template <class T>
struct Known {
  SparseMatrix matrix;
  std::vector<std::vector<std::pair<uint32_t, T>>> rows;
};

template <class T, class Make>
Known<T> random_matrix(uint64_t rows, uint64_t columns, unsigned seed, Make make) {
  Known<T> known;
  known.rows.resize(rows);
  std::mt19937 random(seed);
  std::vector<T> values;
  std::vector<uint32_t> indices;
  std::vector<uint64_t> pointer{0};
  for (uint32_t column = 0; column < columns; ++column) {
    // Neither sorted nor distinct; some columns have none.
    const uint64_t some = column % 7 == 3 ? 0 : random() % rows;
    for (uint64_t i = 0; i < some; ++i) {
      indices.push_back(static_cast<uint32_t>(random() % rows));
      values.push_back(make(random));
      known.rows[indices.back()].emplace_back(column, values.back());
    }
    pointer.push_back(values.size());
  }
  known.matrix.rows = rows;
  known.matrix.columns = columns;
  known.matrix.value = numbers<T>(values);
  known.matrix.index = numbers<uint32_t>(indices);
  known.matrix.pointer = numbers<uint64_t>(pointer);
  return known;
}

uint32_t small_count(std::mt19937& random) {
  return random() % 5;
}

template <class T>
bool is_same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Calls visit(number, major, i, entries) for the entries of the wanted lines.
template <class Visit>
void for_entries(const LineOrder& order, const WantedLines& wanted, bool with_values, Visit&& visit) {
  order.visit(wanted, with_values, [&](const FoundEntries& some) {
    BOOST_TEST_REQUIRE(some.lines.size() == some.majors.size());
    BOOST_TEST_REQUIRE(some.values.count == (with_values ? some.lines.size() : 0));
    for (size_t i = 0; i < some.lines.size(); ++i) visit(some.lines[i], some.majors[i], i, some.values);
  });
}

// Checks the entries of the wanted lines, of which lines[i] has the number i.
template <class T>
void check(const LineOrder& order, const Known<T>& known, const WantedLines& wanted,
           const std::vector<uint64_t>& lines) {
  std::vector<size_t> next(lines.size()), next_major(lines.size());
  uint64_t wrong = 0;
  for_entries(order, wanted, true, [&](uint32_t number, uint32_t major, size_t i, const Elements& values) {
    const auto& [known_major, value] = known.rows[lines.at(number)].at(next[number]++);
    wrong += major != known_major || !is_same(values.template values<T>()[i], value);
  });
  for_entries(order, wanted, false, [&](uint32_t number, uint32_t major, size_t, const Elements&) {
    wrong += major != known.rows[lines.at(number)].at(next_major[number]++).first;
  });
  BOOST_TEST_REQUIRE(wrong == 0u);
  for (size_t i = 0; i < lines.size(); ++i) {
    BOOST_TEST_REQUIRE(next[i] == known.rows[lines[i]].size());
    BOOST_TEST_REQUIRE(next_major[i] == next[i]);
  }
}

// Checks every line, or, as each takes a pass while they are not sorted, few of them; some lines together,
// and runs of them.
template <class T>
void check(const LineOrder& order, const Known<T>& known, bool is_sorted) {
  const uint64_t rows = known.rows.size(), step = is_sorted ? 1 : rows / 3 + 1;
  for (uint64_t row = 0; row < rows; row += step) check(order, known, WantedLines::run(row, 1), {row});
  const std::vector<uint64_t> some{0, 2, 3, rows / 2, rows - 1};
  check(order, known, WantedLines::some(some), some);
  for (const uint64_t first : {uint64_t{0}, rows / 3}) {
    std::vector<uint64_t> lines(rows - first);
    std::iota(lines.begin(), lines.end(), first);
    check(order, known, WantedLines::run(first, lines.size()), lines);
    check(order, known, WantedLines::some(lines), lines);
  }
}

// Returns the number of this process's open file of that name, which is no longer in the folder.
int open_scratch(const std::string& folder) {
  boost::system::error_code error;
  for (const auto& entry : boost::filesystem::directory_iterator("/proc/self/fd")) {
    const auto target = boost::filesystem::read_symlink(entry.path(), error).string();
    if (!error && target.starts_with(folder + "/scratch."))
      return std::stoi(entry.path().filename().string());
  }
  return -1;
}

constexpr size_t kSmallCache = 256 << 10;  // no room for the order of 300 by 400

BOOST_AUTO_TEST_SUITE(line_order)

// VIEWS 12 "The first part across the order in which a sparse matrix is stored"
BOOST_AUTO_TEST_CASE(lines_match_the_entries_of_the_store) {
  const auto whole = random_matrix<uint32_t>(300, 400, 1, small_count);
  const auto large =
      random_matrix<int64_t>(300, 400, 2, [](auto& r) { return static_cast<int64_t>(uint64_t{r()} * r()); });
  const auto real = random_matrix<float>(300, 400, 3, [](auto& r) {
    static constexpr float kOf[] = {1, -0.0f, 0.25f, NAN, INFINITY, 300};
    return kOf[r() % 6];
  });
  const auto whole_reals = random_matrix<float>(300, 400, 6, [](auto& r) {
    static constexpr float kOf[] = {0, 1, 127, 128, 255, 256, 16383, 16384, 2097152, 268435392};
    return kOf[r() % 10];
  });
  const auto narrow = random_matrix<int16_t>(300, 400, 7, [](auto& r) {
    static constexpr int16_t kOf[] = {0, 127, 128, 16383};
    return kOf[r() % 4];
  });
  const TemporaryDirectory folder;
  RoomOnDisk room(folder.path(), 64 << 20);
  for (const bool on_disk : {false, true}) {
    TestContext context(on_disk ? kSmallCache : size_t{64} << 20);
    if (on_disk) context.context.passes = &room;
    for (const auto& visit : {0, 1, 2, 3, 4}) {
      const auto& matrix = visit == 0   ? whole.matrix
                           : visit == 1 ? large.matrix
                           : visit == 2 ? real.matrix
                           : visit == 3 ? whole_reals.matrix
                                        : narrow.matrix;
      const SparseMajors majors(matrix);
      const LineOrder order(matrix, majors, context);
      BOOST_TEST(order.has_room());
      for (const bool is_sorted : {false, true}) {
        if (is_sorted) BOOST_TEST(order.prepare());
        if (visit == 0) check(order, whole, is_sorted);
        if (visit == 1) check(order, large, is_sorted);
        if (visit == 2) check(order, real, is_sorted);
        if (visit == 3) check(order, whole_reals, is_sorted);
        if (visit == 4) check(order, narrow, is_sorted);
      }
      BOOST_TEST((open_scratch(folder.path()) >= 0) == on_disk);
      BOOST_TEST(boost::filesystem::is_empty(folder.path()));
    }
    BOOST_TEST(open_scratch(folder.path()) == -1);
  }
}

BOOST_AUTO_TEST_CASE(a_missing_value_stays_missing) {
  TestContext context;
  auto known = random_matrix<uint32_t>(20, 30, 4, small_count);
  Elements values = read_all(*known.matrix.value);
  values.missing.resize(values.count);
  for (size_t i = 0; i < values.count; i += 3) values.missing[i] = 1;
  const std::vector<uint8_t> missing = values.missing;
  known.matrix.value =
      std::make_shared<MemoryArray>(known.matrix.value->dtype(), Shape{values.count}, std::move(values));
  const SparseMajors majors(known.matrix);
  const LineOrder order(known.matrix, majors, context);
  const Elements index = read_all(*known.matrix.index);
  for (const bool is_sorted : {false, true}) {
    if (is_sorted) BOOST_TEST(order.prepare());
    check(order, known, is_sorted);
    for (uint64_t row = 0; row < 20; ++row) {
      std::vector<uint8_t> wanted, found;
      for_entries(
          order, WantedLines::run(row, 1), true,
          [&](uint32_t, uint32_t, size_t i, const Elements& read) { found.push_back(read.is_missing(i)); });
      for (size_t i = 0; i < index.count; ++i)
        if (index.values<uint32_t>()[i] == row) wanted.push_back(missing[i]);
      BOOST_TEST(found == wanted, boost::test_tools::per_element());
    }
  }
}

// VIEWS 12 "With `-o index=none` and a matrix larger than half of the cache"
BOOST_AUTO_TEST_CASE(without_disk_space_there_is_no_order) {
  const auto known = random_matrix<int64_t>(300, 400, 5, [](auto& r) { return static_cast<int64_t>(r()); });
  const SparseMajors majors(known.matrix);
  TestContext context(kSmallCache);
  const LineOrder nowhere(known.matrix, majors, context);
  BOOST_TEST(!nowhere.has_room());
  BOOST_TEST(!nowhere.prepare());
  check(nowhere, known, false);
  // A disk that takes less than it reports, and returns all of it.
  const TemporaryDirectory folder;
  RoomOnDisk room(folder.path(), 2 * known.matrix.value->count() + (64 << 10));
  context.context.passes = &room;
  const uint64_t before = room.scratch()->room();
  const LineOrder full(known.matrix, majors, context);
  BOOST_TEST(full.has_room());
  BOOST_TEST(!full.prepare());
  BOOST_TEST(!full.has_room());
  check(full, known, WantedLines::run(3, 1), {3});
  BOOST_TEST(room.scratch()->room() == before);
}

BOOST_AUTO_TEST_CASE(temporary_files_may_take_a_part_of_the_free_space) {
  const TemporaryDirectory folder;
  const std::string missing = folder.path() + "/not/yet";
  const uint64_t free_bytes = boost::filesystem::space(folder.path()).available;
  BOOST_TEST(ScratchFolder(missing, 10).room() == 10u);
  BOOST_TEST(ScratchFolder(missing, UINT64_MAX, 4).room() == UINT64_MAX);
  const uint64_t room = ScratchFolder(missing, 10, 4).room();
  BOOST_TEST(room >= free_bytes / 8);  // others use the disk meanwhile
  BOOST_TEST(room <= free_bytes / 2);
}

#ifdef __linux__
BOOST_AUTO_TEST_CASE(altered_temporary_file_is_an_error) {
  const auto known = random_matrix<uint32_t>(300, 400, 6, small_count);
  const TemporaryDirectory folder;
  RoomOnDisk room(folder.path(), 64 << 20);
  TestContext context(kSmallCache);
  context.context.passes = &room;
  const SparseMajors majors(known.matrix);
  const LineOrder order(known.matrix, majors, context);
  BOOST_TEST_REQUIRE(order.prepare());
  const auto read = [&] { order.visit(WantedLines::run(3, 1), true, [](const FoundEntries&) {}); };
  read();
  const int file = open_scratch(folder.path());
  BOOST_TEST_REQUIRE(file >= 0);
  const off_t end = ::lseek(file, 0, SEEK_END);
  const std::string other(static_cast<size_t>(end), '\1');
  BOOST_TEST_REQUIRE(::pwrite(file, other.data(), other.size(), 0) == end);
  BOOST_CHECK_EXCEPTION(read(), Error, mentions("a temporary file of a matrix is damaged"));
  BOOST_TEST_REQUIRE(::ftruncate(file, 10) == 0);
  BOOST_CHECK_EXCEPTION(read(), Error, mentions("a temporary file cannot be read"));
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
