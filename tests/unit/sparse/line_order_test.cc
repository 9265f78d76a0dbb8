#include "formats/core/sparse/line_order.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "formats/core/base/passes.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

// Keeps no passes, and has disk space.
class RoomOnDisk : public Passes {
 public:
  RoomOnDisk(const std::string& path, uint64_t most_bytes)
      : folder_(std::make_shared<ScratchFolder>(path, most_bytes)) {}
  std::shared_ptr<const std::vector<uint64_t>> known(const std::string&, const std::string&,
                                                     Sources&) override {
    return nullptr;
  }
  void keep(const std::string&, const std::string&, std::vector<uint64_t>,
            std::chrono::steady_clock::duration, Sources&) override {}
  void discard(const std::string&, Sources&) override {}
  std::shared_ptr<ScratchFolder> scratch() const override { return folder_; }

 private:
  const std::shared_ptr<ScratchFolder> folder_;
};

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

template <class T>
void check(const LineOrder& order, const Known<T>& known) {
  for (uint64_t row = 0; row < known.rows.size(); ++row) {
    LineEntries found;
    BOOST_TEST_REQUIRE(order.read(row, found));
    BOOST_TEST_REQUIRE(found.places.size() == known.rows[row].size());
    for (size_t i = 0; i < found.places.size(); ++i) {
      BOOST_TEST_REQUIRE(found.places[i] == known.rows[row][i].first);
      BOOST_TEST_REQUIRE(is_same(found.values.template values<T>()[i], known.rows[row][i].second));
    }
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
  const TemporaryDirectory folder;
  RoomOnDisk room(folder.path(), 64 << 20);
  for (const bool on_disk : {false, true}) {
    TestContext context(on_disk ? kSmallCache : size_t{64} << 20);
    if (on_disk) context.context.passes = &room;
    for (const auto& visit : {0, 1, 2}) {
      const auto& matrix = visit == 0 ? whole.matrix : visit == 1 ? large.matrix : real.matrix;
      const SparseMajors majors(matrix);
      const LineOrder order(matrix, majors, context);
      BOOST_TEST(order.has_room());
      if (visit == 0) check(order, whole);
      if (visit == 1) check(order, large);
      if (visit == 2) check(order, real);
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
  check(order, known);
  const Elements index = read_all(*known.matrix.index);
  for (uint64_t row = 0; row < 20; ++row) {
    LineEntries found;
    order.read(row, found);
    std::vector<uint8_t> wanted;
    for (size_t i = 0; i < index.count; ++i)
      if (index.values<uint32_t>()[i] == row) wanted.push_back(missing[i]);
    BOOST_TEST(found.values.missing == wanted, boost::test_tools::per_element());
  }
}

// VIEWS 12 "With `-o index=none` and a matrix larger than half of the cache"
BOOST_AUTO_TEST_CASE(without_disk_space_there_is_no_order) {
  const auto known = random_matrix<int64_t>(300, 400, 5, [](auto& r) { return static_cast<int64_t>(r()); });
  const SparseMajors majors(known.matrix);
  LineEntries found;
  TestContext context(kSmallCache);
  const LineOrder nowhere(known.matrix, majors, context);
  BOOST_TEST(!nowhere.has_room());
  BOOST_TEST(!nowhere.read(3, found));
  // A disk that takes less than it reports, and returns all of it.
  const TemporaryDirectory folder;
  RoomOnDisk room(folder.path(), 2 * known.matrix.value->count() + (64 << 10));
  context.context.passes = &room;
  const uint64_t before = room.scratch()->room();
  const LineOrder full(known.matrix, majors, context);
  BOOST_TEST(full.has_room());
  BOOST_TEST(!full.read(3, found));
  BOOST_TEST(!full.has_room());
  BOOST_TEST(room.scratch()->room() == before);
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
  LineEntries found;
  BOOST_TEST_REQUIRE(order.read(3, found));
  const int file = open_scratch(folder.path());
  BOOST_TEST_REQUIRE(file >= 0);
  const off_t end = ::lseek(file, 0, SEEK_END);
  const std::string other(static_cast<size_t>(end), '\1');
  BOOST_TEST_REQUIRE(::pwrite(file, other.data(), other.size(), 0) == end);
  BOOST_CHECK_EXCEPTION(order.read(3, found), Error, mentions("a temporary file of a matrix is damaged"));
  BOOST_TEST_REQUIRE(::ftruncate(file, 10) == 0);
  BOOST_CHECK_EXCEPTION(order.read(3, found), Error, mentions("a temporary file cannot be read"));
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
