#include "formats/annotated/join.h"

#include <boost/test/unit_test.hpp>

#include "formats/annotated/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/elements/element_text.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

using Texts = std::vector<std::string>;

std::string text_of(const Array& array) {
  const Elements elements = read_all(array);
  std::string text;
  for (uint64_t i = 0; i < elements.count; ++i) {
    append_plain(array.dtype(), elements, i, text);
    text += " ";
  }
  return text;
}

// Returns the rows of a sparse matrix: "0:2=5 " is row 0, column 2.
std::string entries_of(const Content& content) {
  const SparseMatrix matrix = evaluated(std::get<SparseMatrix>(content));
  const SparseMatrix& sizes = std::get<SparseMatrix>(content);
  const Elements pointer = read_all(*matrix.pointer), index = read_all(*matrix.index);
  const Elements value = read_all(*matrix.value);
  const auto number = [](const Array& array, const Elements& elements, uint64_t i) {
    std::string text;
    append_plain(array.dtype(), elements, i, text);
    return text;
  };
  std::string text;
  for (uint64_t row = 0; row < sizes.rows; ++row)
    for (uint64_t i = std::stoull(number(*matrix.pointer, pointer, row));
         i < std::stoull(number(*matrix.pointer, pointer, row + 1)); ++i)
      text += fmt::format("{}:{}={} ", row, number(*matrix.index, index, i), number(*matrix.value, value, i));
  return text;
}

SparseMatrix by_cell(uint64_t cells, uint64_t genes, ArrayPtr value, const std::vector<int32_t>& index,
                     const std::vector<int32_t>& pointer) {
  SparseMatrix matrix;
  matrix.rows = cells;
  matrix.columns = genes;
  matrix.by_row = true;
  matrix.value = std::move(value);
  matrix.index = numbers(index);
  matrix.pointer = numbers(pointer);
  return matrix;
}

// Two cells c and d with genes a, b and c, and three entries.
AnnotatedMatrix first() {
  AnnotatedMatrix generated;
  generated.cells = 2;
  generated.genes = 3;
  generated.x = by_cell(2, 3, numbers<float>({1, 2, 3}), {0, 2, 1}, {0, 2, 3});
  generated.obs = {2, text_array({"c", "d"}), {{"n", numbers<int32_t>({7, 8})}}};
  generated.var = {3, text_array({"a", "b", "c"}), {{"length", numbers<int32_t>({10, 20, 30})}}};
  return generated;
}

// One cell c with genes c and d.
AnnotatedMatrix second() {
  AnnotatedMatrix generated;
  generated.cells = 1;
  generated.genes = 2;
  generated.x = by_cell(1, 2, numbers<int16_t>({4, 5}), {0, 1}, {0, 2});
  generated.obs = {1, text_array({"c"}), {{"kind", text_array({"x"})}}};
  generated.var = {2, text_array({"c", "d"}), {{"length", numbers<int32_t>({30, 40})}}};
  return generated;
}

AnnotatedMatrix join(AnnotatedMatrix a, AnnotatedMatrix b, bool is_outer, Context& context,
                     const std::string& column = "") {
  return joined_matrix({{"A", std::move(a)}, {"B", std::move(b)}}, {is_outer, column}, context);
}

const Array& column(const Table& table, const std::string& name) {
  for (const Column& each : table.columns)
    if (each.name == name) return *each.values;
  throw std::runtime_error(name);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(join_of_annotated_matrices)

BOOST_AUTO_TEST_CASE(outer_join_has_all_genes_and_columns) {
  TestContext context;
  const AnnotatedMatrix joined = join(first(), second(), true, context, "store");
  BOOST_TEST(joined.cells == 3U);
  BOOST_TEST(joined.genes == 4U);
  BOOST_TEST(text_of(*joined.var.row_names) == "a b c d ");
  BOOST_TEST(text_of(*joined.obs.row_names) == "c-A d-A c-B ");
  BOOST_TEST(entries_of(joined.x) == "0:0=1 0:2=2 1:1=3 2:2=4 2:3=5 ");
  BOOST_CHECK(evaluated(std::get<SparseMatrix>(joined.x)).value->dtype() == number_type(Kind::real, 4));
  BOOST_TEST(text_of(column(joined.obs, "n")) == "7 8 NA ");
  BOOST_CHECK(column(joined.obs, "n").dtype() == number_type(Kind::integer, 4));
  BOOST_TEST(text_of(column(joined.obs, "kind")) == "NA NA x ");
  BOOST_TEST(text_of(column(joined.obs, "store")) == "A A B ");
  BOOST_TEST(text_of(column(joined.var, "length")) == "10 20 30 40 ");
}

BOOST_AUTO_TEST_CASE(inner_join_keeps_common_genes_and_columns) {
  TestContext context;
  const AnnotatedMatrix joined = join(first(), second(), false, context);
  BOOST_TEST(text_of(*joined.var.row_names) == "c ");
  BOOST_TEST(entries_of(joined.x) == "0:0=2 2:0=4 ");
  BOOST_TEST(joined.obs.columns.empty());
  BOOST_TEST(text_of(column(joined.var, "length")) == "30 ");
  BOOST_TEST(context.warned("obs: left out, because not all stores have it: n, kind"));
}

BOOST_AUTO_TEST_CASE(entries_keep_the_stored_order) {
  TestContext context;
  AnnotatedMatrix turned = first();
  turned.x = by_cell(2, 3, numbers<float>({1, 2, 3}), {2, 0, 1}, {0, 2, 3});
  BOOST_TEST(entries_of(join(turned, first(), true, context).x) == "0:2=1 0:0=2 1:1=3 2:0=1 2:2=2 3:1=3 ");
}

// An index beyond the genes of its store could be a gene of the joined matrix.
BOOST_AUTO_TEST_CASE(index_beyond_the_genes_of_its_store_is_damage) {
  TestContext context;
  AnnotatedMatrix b = second();
  b.x = by_cell(1, 2, numbers<int16_t>({4, 5}), {0, 2}, {0, 2});
  BOOST_CHECK_EXCEPTION(entries_of(join(first(), b, true, context).x), Error, mentions("not below 2"));
  b.x = by_cell(1, 2, numbers<int16_t>({4, 5}), {-1, 1}, {0, 2});
  BOOST_CHECK_EXCEPTION(entries_of(join(first(), b, true, context).x), Error, mentions("not below 2"));
}

BOOST_AUTO_TEST_CASE(matrices_by_gene_are_turned) {
  TestContext context;
  AnnotatedMatrix by_gene = first();
  SparseMatrix matrix = by_cell(3, 2, numbers<float>({1, 3, 2}), {0, 1, 0}, {0, 1, 2, 3});
  by_gene.x = transposed(matrix);
  BOOST_TEST(entries_of(join(by_gene, second(), true, context).x) == "0:0=1 0:2=2 1:1=3 2:2=4 2:3=5 ");
}

BOOST_AUTO_TEST_CASE(dense_matrices_have_nan_for_absent_genes) {
  TestContext context;
  AnnotatedMatrix a = first(), b = second();
  a.x = LabelledArray{numbers<int32_t>({1, 0, 2, 0, 3, 0}, {2, 3}), nullptr, nullptr};
  b.x = LabelledArray{numbers<int32_t>({4, 5}, {1, 2}), nullptr, nullptr};
  const auto dense = [](const AnnotatedMatrix& joined) { return std::get<LabelledArray>(joined.x).values; };
  const ArrayPtr all = dense(join(a, b, true, context)), some = dense(join(a, b, false, context));
  BOOST_TEST(text_of(*all) == "1 0 2 NaN 0 3 0 NaN NaN NaN 4 5 ");
  BOOST_CHECK(all->dtype() == number_type(Kind::real, 8));
  BOOST_TEST(text_of(*some) == "2 0 4 ");
  BOOST_CHECK(some->dtype() == number_type(Kind::integer, 4));
  BOOST_TEST(entries_of(join(a, second(), true, context).x) == "0:0=1 0:2=2 1:1=3 2:2=4 2:3=5 ");
}

BOOST_AUTO_TEST_CASE(factors_have_the_levels_of_all) {
  TestContext context;
  AnnotatedMatrix a = first(), b = second();
  const auto kind = [&](std::vector<int8_t> codes, const Texts& levels, bool is_ordered) {
    return std::vector<Column>{
        {"kind", factor(numbers(codes), text_array(levels), 0, "/obs/kind", context, is_ordered)}};
  };
  a.obs.columns = kind({1, 0}, {"x", "y"}, false);
  b.obs.columns = kind({0}, {"z", "y"}, false);
  const AnnotatedMatrix joined = join(a, b, false, context);
  BOOST_TEST(text_of(column(joined.obs, "kind")) == "y x z ");
  const std::optional<FactorParts> parts = factor_parts(column(joined.obs, "kind"));
  BOOST_REQUIRE(parts.has_value());
  BOOST_TEST(text_of(*parts->levels) == "x y z ");
  b.obs.columns = kind({0}, {"z", "y"}, true);
  const AnnotatedMatrix texts = join(a, b, false, context);
  BOOST_TEST(text_of(column(texts.obs, "kind")) == "y x z ");
  BOOST_TEST(!factor_parts(column(texts.obs, "kind")));
  BOOST_TEST(context.warned("obs/kind: text, because the stores order its levels differently"));
}

BOOST_AUTO_TEST_CASE(genes_with_ids_are_matched_by_id) {
  TestContext context;
  AnnotatedMatrix a = first(), b = second();
  a.var.columns = {{"gene_ids", text_array({"E1", "E2", "E3"})}};
  b.var.columns = {{"gene_ids", text_array({"E2", "E4"})}};
  b.var.row_names = text_array({"renamed", "a"});
  const AnnotatedMatrix joined = join(a, b, true, context);
  BOOST_TEST(text_of(column(joined.var, "gene_ids")) == "E1 E2 E3 E4 ");
  BOOST_TEST(text_of(*joined.var.row_names) == "a b c a ");
  BOOST_TEST(entries_of(joined.x) == "0:0=1 0:2=2 1:1=3 2:1=4 2:3=5 ");
  BOOST_TEST(context.warned("var: 1 times a store has another name for an id, such as b and renamed"));
  BOOST_TEST(context.warned("var: 1 names stand for several ids, such as a"));
}

BOOST_AUTO_TEST_CASE(repeated_names_are_refused_unless_all_are_equal) {
  TestContext context;
  AnnotatedMatrix a = first(), b = second();
  a.var.row_names = text_array({"a", "b", "a"});
  BOOST_TEST(entries_of(join(a, a, true, context).x) == "0:0=1 0:2=2 1:1=3 2:0=1 2:2=2 3:1=3 ");
  BOOST_CHECK_EXCEPTION(join(a, b, true, context), Error, mentions("the first store has the gene a twice"));
  BOOST_CHECK_EXCEPTION(join(b, a, true, context), Error, mentions("B has the gene a twice"));
}

BOOST_AUTO_TEST_CASE(differing_gene_columns_are_named) {
  TestContext context;
  AnnotatedMatrix a = first(), b = second();
  b.var.columns = {{"length", numbers<int32_t>({31, 40})}};
  BOOST_TEST(text_of(column(join(a, b, true, context).var, "length")) == "10 20 30 40 ");
  BOOST_TEST(context.warned("var: the stores differ, the first one's values are shown: length"));
  BOOST_TEST(join(a, b, false, context).var.columns.empty());
  BOOST_TEST(context.warned("var: left out, because the stores differ: length"));
}

BOOST_AUTO_TEST_CASE(graphs_have_no_edges_between_stores) {
  TestContext context;
  AnnotatedMatrix a = first(), b = second();
  a.obsp = {{"near", by_cell(2, 2, numbers<float>({1, 2}), {1, 0}, {0, 1, 2})}};
  b.obsp = {{"near", by_cell(1, 1, numbers<float>({3}), {0}, {0, 1})}};
  const AnnotatedMatrix joined = join(a, b, true, context);
  BOOST_REQUIRE(joined.obsp.size() == 1U);
  BOOST_TEST(entries_of(joined.obsp[0].content) == "0:1=1 1:0=2 2:2=3 ");
}

BOOST_AUTO_TEST_CASE(pictures_outside_of_uns_are_named) {
  TestContext context;
  AnnotatedMatrix b = second();
  b.pictures = [] { return std::vector<SlidePictures>(); };
  join(first(), b, true, context);
  BOOST_TEST(context.warned("pictures of the tissue: left out; they belong to B alone"));
}

BOOST_AUTO_TEST_CASE(matrix_of_another_size_is_an_error) {
  TestContext context;
  AnnotatedMatrix b = second();
  b.x = by_cell(2, 2, numbers<float>({4}), {0}, {0, 1, 1});
  const AnnotatedMatrix joined = join(first(), b, true, context);
  BOOST_REQUIRE(std::holds_alternative<Error>(joined.x));
  BOOST_CHECK(mentions("B: X has 2 rows, expected 1")(std::get<Error>(joined.x)));
  b.x = {};
  BOOST_CHECK_EXCEPTION(join(first(), b, true, context), Error,
                        mentions("B has no X, which other stores have"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
