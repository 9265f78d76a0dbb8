#include "fs/views/parts/group_sums.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

constexpr uint32_t kNone = CellGroups::kNone;

std::shared_ptr<const CellGroups> groups_of(std::vector<uint32_t> cells, size_t levels) {
  CellGroups groups{std::vector<std::string>(levels, "level"), std::move(cells)};
  return std::make_shared<const CellGroups>(std::move(groups));
}

// Cells by genes.
template <class T>
SparseMatrix lists(bool by_row, uint64_t cells, uint64_t genes, std::vector<T> values,
                   std::vector<uint32_t> index, std::vector<uint64_t> pointer) {
  SparseMatrix matrix;
  matrix.rows = cells;
  matrix.columns = genes;
  matrix.by_row = by_row;
  matrix.value = numbers<T>(std::move(values));
  matrix.index = numbers<uint32_t>(std::move(index));
  matrix.pointer = numbers<uint64_t>(std::move(pointer));
  return matrix;
}

ChosenCounts counts_of(Content matrix) {
  return {"X", std::move(matrix), {}};
}

template <class T>
std::vector<T> sums_of(Content matrix, std::shared_ptr<const CellGroups> groups, Context& context) {
  const Elements all = read_all(*group_sums(counts_of(std::move(matrix)), std::move(groups), context));
  return {all.values<T>().begin(), all.values<T>().end()};
}

BOOST_AUTO_TEST_SUITE(group_sums_of_cells)

BOOST_AUTO_TEST_CASE(every_order_and_every_cache_gives_the_sums_of_a_loop) {
  constexpr uint64_t kCells = 210, kGenes = 170, kGroups = 7;
  std::mt19937 random(4);
  std::vector<int32_t> dense(kCells * kGenes);
  for (int32_t& value : dense) value = random() % 3 == 0 ? static_cast<int32_t>(random() % 100) - 10 : 0;
  std::vector<uint32_t> cells(kCells);
  for (uint32_t& cell : cells) cell = random() % 8 == 7 ? kNone : static_cast<uint32_t>(random() % kGroups);
  std::vector<int64_t> want(kGenes * kGroups);
  for (uint64_t cell = 0; cell < kCells; ++cell)
    for (uint64_t gene = 0; gene < kGenes && cells[cell] != kNone; ++gene)
      want[gene * kGroups + cells[cell]] += dense[cell * kGenes + gene];
  const auto groups = groups_of(cells, kGroups);
  const auto sparse = [&](bool by_row) {
    std::vector<int32_t> values;
    std::vector<uint32_t> index;
    std::vector<uint64_t> pointer{0};
    for (uint64_t major = 0; major < (by_row ? kCells : kGenes); ++major) {
      for (uint64_t minor = 0; minor < (by_row ? kGenes : kCells); ++minor)
        if (const int32_t value = dense[by_row ? major * kGenes + minor : minor * kGenes + major]) {
          values.push_back(value);
          index.push_back(static_cast<uint32_t>(minor));
        }
      pointer.push_back(values.size());
    }
    return lists<int32_t>(by_row, kCells, kGenes, values, index, pointer);
  };
  std::vector<int32_t> turned(dense.size());
  for (uint64_t cell = 0; cell < kCells; ++cell)
    for (uint64_t gene = 0; gene < kGenes; ++gene) turned[gene * kCells + cell] = dense[cell * kGenes + gene];
  const LabelledArray by_cell{numbers<int32_t>(dense, {kCells, kGenes}), nullptr, nullptr};
  const LabelledArray by_gene{as_column_major(numbers<int32_t>(turned, {kGenes, kCells})), nullptr, nullptr};
  // The small cache holds the sums of a few genes.
  for (const size_t budget : {size_t{64} << 20, size_t{4} << 10}) {
    TestContext context(budget);
    for (const Content& matrix : std::vector<Content>{sparse(true), sparse(false), by_cell, by_gene})
      BOOST_TEST(sums_of<int64_t>(matrix, groups, context) == want, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(whole_numbers_add_up_exactly_or_not_at_all) {
  TestContext context;
  const int64_t large = int64_t{1} << 53;
  const auto groups = groups_of({0, 0, 1}, 2);
  for (const bool by_row : {true, false}) {
    const auto matrix = [&](std::vector<int64_t> values) {
      return by_row ? lists<int64_t>(true, 3, 1, std::move(values), {0, 0, 0}, {0, 1, 2, 3})
                    : lists<int64_t>(false, 3, 1, std::move(values), {0, 1, 2}, {0, 3});
    };
    BOOST_TEST(
        sums_of<int64_t>(matrix({large, 1, -5}), groups, context) == (std::vector<int64_t>{large + 1, -5}),
        boost::test_tools::per_element());
    BOOST_CHECK_EXCEPTION(sums_of<int64_t>(matrix({INT64_MAX, 1, 0}), groups, context), Error,
                          mentions("9223372036854775807 + 1 does not fit into a 64-bit sum"));
  }
  const auto unsigned_matrix = lists<uint64_t>(true, 1, 1, {UINT64_MAX}, {0}, {0, 1});
  BOOST_CHECK_EXCEPTION(sums_of<int64_t>(unsigned_matrix, groups_of({0}, 1), context), Error,
                        mentions("18446744073709551615 does not fit"));
}

BOOST_AUTO_TEST_CASE(reals_are_added_cell_after_cell) {
  TestContext context;
  // 1e16 + 1 is 1e16: the order shows. By gene the cells are stored in another one.
  const std::vector<double> values{1e16, 1, -1e16, 3};
  const auto groups = groups_of({0, 0, 0, 0}, 1);
  BOOST_TEST(sums_of<double>(lists<double>(true, 4, 1, values, {0, 0, 0, 0}, {0, 1, 2, 3, 4}), groups,
                             context) == std::vector<double>{3},
             boost::test_tools::per_element());
  const auto shuffled = lists<double>(false, 4, 1, {1, 3, 1e16, -1e16}, {1, 3, 0, 2}, {0, 4});
  BOOST_TEST(sums_of<double>(shuffled, groups, context) == std::vector<double>{3},
             boost::test_tools::per_element());
  const double infinite = std::numeric_limits<double>::infinity();
  const auto odd = lists<double>(true, 2, 2, {infinite, NAN, 1, 1}, {0, 1, 0, 1}, {0, 2, 4});
  const auto sums = sums_of<double>(odd, groups_of({0, 0}, 1), context);
  BOOST_TEST(sums[0] == infinite);
  BOOST_TEST(std::isnan(sums[1]));
}

BOOST_AUTO_TEST_CASE(a_missing_value_makes_its_sum_missing) {
  TestContext context;
  Elements values = elements_of<int32_t>({1, 2, 3});
  values.missing = {0, 1, 0};
  SparseMatrix matrix = lists<int32_t>(true, 3, 1, {}, {0, 0, 0}, {0, 1, 2, 3});
  matrix.value = std::make_shared<MemoryArray>(type_of<int32_t>(), Shape{3}, std::move(values));
  const Elements sums = read_all(*group_sums(counts_of(matrix), groups_of({0, 0, 1}, 2), context));
  BOOST_TEST(sums.is_missing(0));
  BOOST_TEST(!sums.is_missing(1));
  BOOST_TEST(sums.values<int64_t>()[1] == 3);
}

BOOST_AUTO_TEST_CASE(damage_is_reported_and_nothing_is_summed) {
  TestContext context;
  const auto read = [&](const SparseMatrix& matrix) {
    sums_of<int64_t>(matrix, groups_of({0, 0}, 1), context);
  };
  BOOST_CHECK_EXCEPTION(read(lists<int32_t>(true, 2, 3, {1, 2}, {0, 3}, {0, 1, 2})), Error,
                        mentions("gene 3 is not below 3"));
  BOOST_CHECK_EXCEPTION(read(lists<int32_t>(false, 2, 2, {1, 2}, {0, 2}, {0, 1, 2})), Error,
                        mentions("cell 2 is not below 2"));
  BOOST_CHECK_EXCEPTION(read(lists<int32_t>(true, 2, 3, {1, 2}, {0, 1}, {0, 3, 2})), Error,
                        mentions("pointer"));
}

// Pointers that change on the second read, like those of a store that is rewritten meanwhile.
class ChangingPointers : public Array {
 public:
  ChangingPointers(ArrayPtr first, ArrayPtr later)
      : Array(first->dtype(), first->shape()), first_(std::move(first)), later_(std::move(later)) {}
  Elements read(const Box& box) const override { return (reads_++ == 0 ? first_ : later_)->read(box); }

 private:
  const ArrayPtr first_, later_;
  mutable int reads_ = 0;
};

BOOST_AUTO_TEST_CASE(pointers_falling_in_the_second_pass_are_damage) {
  TestContext context;
  SparseMatrix matrix = lists<int32_t>(false, 3, 2, {1, 2, 3}, {0, 1, 2}, {0, 1, 3});
  matrix.pointer = std::make_shared<ChangingPointers>(matrix.pointer, numbers<uint64_t>({0, 3, 1}));
  BOOST_CHECK_EXCEPTION(sums_of<int64_t>(matrix, groups_of({0, 0, 0}, 1), context), Error, mentions("after"));
}

BOOST_AUTO_TEST_CASE(counts_are_the_first_suitable_matrix) {
  const auto dense = [](std::vector<double> values) -> Content {
    return LabelledArray{numbers<double>(std::move(values), {1, 2}), nullptr, nullptr};
  };
  AnnotatedMatrix matrix;
  matrix.cells = 1;
  matrix.genes = 2;
  matrix.var.rows = 2;
  matrix.x = dense({0.5, 1});
  BOOST_TEST(choose_counts(matrix).name == "X");
  matrix.raw = AnnotatedMatrix::Raw{dense({1, 2}), matrix.var, {}};
  BOOST_TEST(choose_counts(matrix).name == "raw/X");
  matrix.layers = {{"counts", dense({1, -2})}};
  BOOST_TEST(choose_counts(matrix).name == "raw/X");
  matrix.layers = {{"counts", dense({1, 2})}};
  BOOST_TEST(choose_counts(matrix).name == "layers/counts");
  matrix.raw->x = matrix.x;
  matrix.layers = {{"scaled", dense({1, 2})}};
  BOOST_TEST(choose_counts(matrix).name == "raw/X");
  matrix.x = dense({1, 2});
  BOOST_TEST(choose_counts(matrix).name == "X");
  matrix.layers = {{"counts", dense({1, 2})}};
  matrix.x_name = "logcounts";
  BOOST_TEST(choose_counts(matrix).name == "assay counts");
  std::swap(matrix.layers[0].content, matrix.x);
  matrix.layers[0].name = "logcounts";
  matrix.x_name = "counts";
  BOOST_TEST(choose_counts(matrix).name == "assay counts");
  matrix.genes = matrix.var.rows = 3;
  BOOST_CHECK_EXCEPTION(choose_counts(matrix), Error, mentions("assay counts is 1 by 2, expected 1 by 3"));
  matrix.layers.clear();
  matrix.raw.reset();
  matrix.x = {};
  BOOST_CHECK_EXCEPTION(choose_counts(matrix), Error, mentions("no matrix of cells to sum"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
