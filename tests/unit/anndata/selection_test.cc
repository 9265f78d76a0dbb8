#include "formats/annotated/selection.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/annotated/parts.h"
#include "formats/core/model/arrays/factor.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

using Row = std::vector<std::pair<uint64_t, int32_t>>;  // minor and value

Indices indices(std::vector<uint64_t> values) {
  return std::make_shared<const std::vector<uint64_t>>(std::move(values));
}

// Returns the entries of each major, unsorted in part, and some places twice.
std::vector<Row> random_rows(uint64_t majors, uint64_t minors, std::mt19937& random) {
  std::vector<Row> rows(majors);
  for (Row& row : rows)
    for (uint64_t i = random() % 6; i > 0; --i)
      row.push_back({random() % minors, static_cast<int32_t>(random() % 100)});
  return rows;
}

SparseMatrix matrix_of(const std::vector<Row>& majors, uint64_t minors, bool by_row, Context& context) {
  std::vector<int32_t> value, index;
  std::vector<int64_t> pointer{0};
  for (const Row& row : majors) {
    for (const auto& [minor, number] : row) {
      index.push_back(static_cast<int32_t>(minor));
      value.push_back(number);
    }
    pointer.push_back(static_cast<int64_t>(index.size()));
  }
  SparseMatrix matrix;
  matrix.rows = by_row ? majors.size() : minors;
  matrix.columns = by_row ? minors : majors.size();
  matrix.by_row = by_row;
  const auto chunked = [&](ArrayPtr array) -> ArrayPtr {
    return std::make_shared<ChunkedCopy>(context, std::move(array), Shape{7});
  };
  matrix.value = chunked(numbers(value));
  matrix.index = chunked(numbers(index));
  matrix.pointer = chunked(numbers(pointer));
  return matrix;
}

std::vector<uint64_t> whole_numbers(const Array& array) {
  std::vector<uint64_t> all;
  const Elements elements = read_all(array);
  visit_number(array.dtype(), [&](auto zero) {
    if constexpr (std::is_integral_v<decltype(zero)>)
      for (const auto value : elements.values<decltype(zero)>()) all.push_back(static_cast<uint64_t>(value));
  });
  return all;
}

std::vector<Row> rows_of(const SparseMatrix& stored) {
  const SparseMatrix matrix = evaluated(stored);
  const std::vector<uint64_t> pointer = whole_numbers(*matrix.pointer), index = whole_numbers(*matrix.index);
  const Elements value = read_all(*matrix.value);
  std::vector<Row> rows(pointer.size() - 1);
  for (size_t row = 0; row < rows.size(); ++row)
    for (uint64_t i = pointer[row]; i < pointer[row + 1]; ++i)
      rows[row].push_back({index[i], value.values<int32_t>()[i]});
  return rows;
}

AnnotatedMatrix of_x(Content x, uint64_t cells, uint64_t genes) {
  AnnotatedMatrix matrix;
  matrix.cells = cells;
  matrix.genes = genes;
  matrix.x = std::move(x);
  matrix.obs = annotated::named_rows(cells, nullptr);
  matrix.var = annotated::named_rows(genes, nullptr);
  return matrix;
}

BOOST_AUTO_TEST_SUITE(selection)

BOOST_AUTO_TEST_CASE(rows_of_a_csr_matrix_stay_as_stored) {
  TestContext context;
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const uint64_t cells = 1 + random() % 40, genes = 1 + random() % 9;
    const std::vector<Row> rows = random_rows(cells, genes, random);
    std::vector<uint64_t> chosen;
    std::vector<Row> want;
    for (uint64_t cell = 0; cell < cells; ++cell)
      if (random() % 3 == 0) {
        chosen.push_back(cell);
        want.push_back(rows[cell]);
      }
    const AnnotatedMatrix some =
        selected_cells(of_x(matrix_of(rows, genes, true, context), cells, genes), indices(chosen), context);
    const auto& x = std::get<SparseMatrix>(some.x);
    BOOST_TEST(x.rows == chosen.size());
    BOOST_TEST(x.columns == genes);
    BOOST_TEST(x.by_row);
    BOOST_TEST((rows_of(x) == want));
    BOOST_TEST(evaluated(x).index->dtype().name() == "int32");
  }
}

BOOST_AUTO_TEST_CASE(rows_of_a_csc_matrix_are_picked_per_column) {
  TestContext context;
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    const uint64_t cells = 1 + random() % 9, genes = 1 + random() % 40;
    const std::vector<Row> columns = random_rows(genes, cells, random);
    std::vector<uint64_t> chosen, place(cells, UINT64_MAX);
    for (uint64_t cell = 0; cell < cells; ++cell)
      if (random() % 2 == 0) {
        place[cell] = chosen.size();
        chosen.push_back(cell);
      }
    std::vector<Row> want(genes);
    for (uint64_t gene = 0; gene < genes; ++gene)
      for (const auto& [cell, value] : columns[gene])
        if (place[cell] != UINT64_MAX) want[gene].push_back({place[cell], value});
    const AnnotatedMatrix some = selected_cells(of_x(matrix_of(columns, cells, false, context), cells, genes),
                                                indices(chosen), context);
    BOOST_TEST((rows_of(std::get<SparseMatrix>(some.x)) == want));
    // Repeats some of them.
    if (chosen.size() < 2) continue;
    const AnnotatedMatrix fewer = selected_cells(some, indices({1}), context);
    std::vector<Row> left(genes);
    for (uint64_t gene = 0; gene < genes; ++gene)
      for (const auto& [cell, value] : want[gene])
        if (cell == 1) left[gene].push_back({0, value});
    BOOST_TEST((rows_of(std::get<SparseMatrix>(fewer.x)) == left));
  }
}

BOOST_AUTO_TEST_CASE(all_cells_give_the_whole_matrix) {
  TestContext context;
  std::mt19937 random(3);
  const std::vector<Row> rows = random_rows(30, 5, random);
  std::vector<uint64_t> all(30);
  for (uint64_t i = 0; i < 30; ++i) all[i] = i;
  const AnnotatedMatrix some =
      selected_cells(of_x(matrix_of(rows, 5, true, context), 30, 5), indices(all), context);
  BOOST_TEST((rows_of(std::get<SparseMatrix>(some.x)) == rows));
}

BOOST_AUTO_TEST_CASE(factor_keeps_all_levels_and_checks) {
  TestContext context;
  AnnotatedMatrix matrix = of_x({}, 3, 1);
  const ArrayPtr labels = text_array({"unused", "b", "c"});
  const ArrayPtr type = factor(numbers<int8_t>({2, 1, 2}), labels, 0, "/obs/type", context, true);
  matrix.obs.columns = {{"type", type},
                        {"bad", checked(type, [] { throw damaged("labels that are alike"); })}};
  const AnnotatedMatrix some = selected_cells(matrix, indices({0, 1}), context);
  BOOST_TEST(shown(*some.obs.columns[0].values) == (Texts{"c", "b"}));
  const auto parts = factor_parts(*some.obs.columns[0].values);
  BOOST_REQUIRE(parts);
  BOOST_TEST(parts->levels == labels);
  BOOST_TEST(parts->is_ordered);
  BOOST_TEST(shown(*parts->codes) == (Texts{"2", "1"}));
  BOOST_CHECK_EXCEPTION(some.obs.columns[1].values->check(), Error, mentions("labels that are alike"));
}

BOOST_AUTO_TEST_CASE(dense_parts_are_in_c_order_with_the_names_of_their_cells) {
  TestContext context;
  AnnotatedMatrix matrix = of_x({}, 3, 2);
  matrix.obs.row_names = text_array({"c1", "c2", "c3"});
  // R's layout of 3 x 2: 0 3 / 1 4 / 2 5.
  const ArrayPtr stored = as_column_major(numbers<int32_t>({0, 1, 2, 3, 4, 5}, {2, 3}));
  matrix.obsm = {{"X_pca", LabelledArray{stored, matrix.obs.row_names, nullptr}}};
  const AnnotatedMatrix some = selected_cells(matrix, indices({0, 2}), context);
  const auto& pca = std::get<LabelledArray>(some.obsm[0].content);
  BOOST_CHECK((pca.values->shape() == Shape{2, 2}));
  BOOST_TEST(!pca.values->column_major());
  BOOST_TEST(shown(*pca.values) == (Texts{"0", "3", "2", "5"}));
  BOOST_TEST(shown(*pca.row_names) == (Texts{"c1", "c3"}));
}

BOOST_AUTO_TEST_CASE(part_with_other_cells_fails_alone) {
  TestContext context;
  AnnotatedMatrix matrix = of_x(LabelledArray{numbers<int32_t>({1, 2}, {2, 1}), nullptr, nullptr}, 3, 1);
  matrix.obsm = {{"long", LabelledArray{numbers<int32_t>({1, 2, 3, 4}, {4, 1}), nullptr, nullptr}},
                 {"fits", LabelledArray{numbers<int32_t>({1, 2, 3}, {3, 1}), nullptr, nullptr}}};
  const AnnotatedMatrix some = selected_cells(matrix, indices({2}), context);
  BOOST_TEST(std::get<Error>(some.x).what() == "X has 2 rows, expected 3");
  BOOST_TEST(std::get<Error>(some.obsm[0].content).what() == "obsm/long has 4 rows, expected 3");
  BOOST_TEST(shown(*std::get<LabelledArray>(some.obsm[1].content).values) == (Texts{"3"}));
}

BOOST_AUTO_TEST_CASE(inconsistent_sparse_lists_are_damage) {
  TestContext context;
  for (const bool by_row : {true, false}) {
    SparseMatrix matrix;
    matrix.rows = matrix.columns = 2;
    matrix.by_row = by_row;
    matrix.value = numbers<int32_t>({1, 2});
    matrix.index = numbers<int32_t>({0, 1});
    matrix.pointer = numbers<int32_t>({0, 2, 1});
    const AnnotatedMatrix some = selected_cells(of_x(matrix, 2, 2), indices({1}), context);
    BOOST_CHECK_EXCEPTION(rows_of(std::get<SparseMatrix>(some.x)), Error, mentions("pointer 2 is 1"));
    matrix.error = unsupported("of complex numbers");
    const AnnotatedMatrix other = selected_cells(of_x(matrix, 2, 2), indices({1}), context);
    BOOST_TEST(std::get<SparseMatrix>(other.x).error.value().what() == "of complex numbers");
  }
}

BOOST_AUTO_TEST_CASE(group_has_the_names_of_anndata) {
  TestContext context;
  AnnotatedMatrix matrix = of_x(SparseMatrix{}, 1, 1);
  std::get<SparseMatrix>(matrix.x).rows = std::get<SparseMatrix>(matrix.x).columns = 1;
  matrix.obs.row_names = text_array({"c1"});
  matrix.var.row_names = text_array({"g1"});
  matrix.var.columns = {{"gene_ids", text_array({"ENS1"})}};
  const Content dense = LabelledArray{numbers<int32_t>({5}, {1, 1}), nullptr, nullptr};
  matrix.layers = {{"scaled", dense}};
  matrix.obsm = {{"X_pca", dense}};
  matrix.raw = AnnotatedMatrix::Raw{dense, matrix.var, {}};
  const auto stored = std::make_shared<MemoryGroup>("/mod/rna");
  int times = 0;
  const auto group = std::make_shared<const AnnotatedGroup>(stored, [&] {
    ++times;
    return matrix;
  });
  Texts names;
  for (const Member& member : group->members()) names.push_back(member.name);
  BOOST_TEST(names == (Texts{"X", "layers", "obs", "obsm", "raw", "var"}));
  BOOST_TEST(group->path() == "/mod/rna");
  const auto x = std::get<SparseMatrix>(group->find("X")->content);
  BOOST_TEST(shown(*x.row_names) == (Texts{"g1"}));
  BOOST_TEST(shown(*x.row_ids) == (Texts{"ENS1"}));
  BOOST_TEST(shown(*x.column_names) == (Texts{"c1"}));
  const auto scaled =
      std::get<LabelledArray>(find_path(*group, std::vector<std::string>{"layers", "scaled"})->content);
  BOOST_TEST(scaled.matrix->transposed);
  BOOST_TEST(shown(*scaled.matrix->row_names) == (Texts{"g1"}));
  BOOST_TEST(find_path(*group, std::vector<std::string>{"raw", "var"}).has_value());
  const std::vector<FoundAnnotatedMatrix> found = annotated_matrices(Node{{}, group}, context);
  BOOST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].name == "anndata");
  BOOST_TEST(found[0].make().raw.has_value());
  BOOST_TEST(times == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
