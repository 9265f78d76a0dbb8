#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "fs/layout/text_segments.h"
#include "fs/views/r/r_files.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/r/seurat_parts.h"
#include "fs/views/table/factor_codes.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

Texts texts_in(const ArrayPtr& array) {
  Texts texts;
  if (array)
    for_each_text(*array, 0, array->count(), [&](std::string_view text, bool is_missing) {
      texts.emplace_back(is_missing ? "NA" : text);
    });
  return texts;
}

template <class T>
std::vector<T> numbers_in(const ArrayPtr& array) {
  const Elements all = read_all(*array);
  const std::span<const T> values = all.values<T>();
  return {values.begin(), values.end()};
}

// 3 cells by 2 genes, by row: 1 for the second gene, none, `value` for both.
SparseMatrix by_cell(float value) {
  SparseMatrix matrix;
  matrix.rows = 3;
  matrix.columns = 2;
  matrix.by_row = true;
  matrix.value = numbers<float>({1, value, value});
  matrix.index = numbers<uint32_t>({1, 0, 1});
  matrix.pointer = numbers<uint64_t>({0, 1, 1, 3});
  return matrix;
}

LabelledArray dense(const std::vector<double>& values) {
  return {numbers<double>(values, {3, values.size() / 3}), nullptr, nullptr};
}

// An AnnotatedMatrix with an integral X.
AnnotatedMatrix small() {
  AnnotatedMatrix generated;
  generated.cells = 3;
  generated.genes = 2;
  generated.x = by_cell(4);
  generated.obs = {3, text_array({"a_1", "b_1", "a_2"}), {}};
  generated.var = {2, text_array({"g1", "g2"}), {}};
  return generated;
}

AnnotatedMatrix::Raw raw_of(Content x, const Texts& genes) {
  return {std::move(x), {genes.size(), text_array(genes), {}}, {}};
}

JointMatrices alone(const AnnotatedMatrix& matrix) {
  return {{{"RNA", matrix}}, matrix.obs, {}, {}};
}

SeuratObject object_of(const JointMatrices& joint, Context& context) {
  ColumnMatrices matrices(context);
  return seurat_object(joint, matrices, context);
}

Texts names_of(const std::vector<Column>& columns) {
  Texts names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

std::string chosen(const AnnotatedMatrix& matrix) {
  TestContext context;
  const SeuratMatrices generated = seurat_matrices(matrix, context);
  const SeuratSources sources = seurat_sources(matrix, context);
  BOOST_TEST(sources.counts == generated.counts_from);
  BOOST_TEST(sources.data == generated.data_from);
  return fmt::format("{}, {}{}{}", generated.counts ? generated.counts_from : "none", generated.data_from,
                     generated.scaled ? ", scaled" : "", generated.is_raw ? ", genes of raw" : "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(seurat)

BOOST_AUTO_TEST_CASE(names_are_made_unique_like_r) {
  BOOST_TEST(made_unique({"a", "b", "a", "a.1", "a"}) == (Texts{"a", "b", "a.2", "a.1", "a.3"}));
  BOOST_TEST(made_unique({"a", "b"}) == (Texts{"a", "b"}));
  BOOST_TEST(made_unique({}) == Texts());
}

// Features are unique, then `_` and `|` are `-`, then they are unique again.
BOOST_AUTO_TEST_CASE(features_are_named_as_by_seurat) {
  BOOST_TEST(feature_names({"A_1", "A-1", "B", "B", "C|D", "E", "B", "F_g_h"}) ==
             (Texts{"A-1", "A-1.1", "B", "B.1", "C-D", "E", "B.2", "F-g-h"}));
}

// An empty name is `X`, `X.1`, …, the first that no other has: R's make.names() and make.unique().
BOOST_AUTO_TEST_CASE(empty_name_gets_a_unique_one) {
  BOOST_TEST(feature_names({"a", ""}) == (Texts{"a", "X"}));
  BOOST_TEST(feature_names({"", "X", "", "X.1"}) == (Texts{"X.2", "X", "X.3", "X.1"}));
}

// Names are R's `make.names`.
BOOST_AUTO_TEST_CASE(reductions_are_named_as_by_r) {
  const Texts stored{"t-SNE", "1a", "_a", ".1a", "..", "if", "a b", "", "NA", "X_", "é-b", "-", "TRUE"};
  const Texts generated{"t.SNE", "X1a", "X_a", "X.1a", "..", "if.",  "a.b",
                        "X",     "NA.", "X_",  "é.b",  "X.", "TRUE."};
  for (size_t i = 0; i < stored.size(); ++i) BOOST_TEST(valid_name(stored[i]) == generated[i]);
}

BOOST_AUTO_TEST_CASE(keys_are_letters_and_digits) {
  BOOST_TEST(assay_key("RNA") == "rna_");
  BOOST_TEST(assay_key("my_Assay.2") == "myassay2_");
  BOOST_TEST(assay_key("é") == "assay_");
  BOOST_TEST(reduction_key("pca") == "PC_");
  BOOST_TEST(reduction_key("tsne") == "tSNE_");
  BOOST_TEST(reduction_key("draw_graph_fa") == "drawgraphfa_");
  BOOST_TEST(reduction_key("___") == "DIM_");
  BOOST_TEST(reduction_key("2d_umap") == "dumap_");
}

// A key that SeuratObject 5 refuses (`PC` of Seurat 2) is mended.
BOOST_AUTO_TEST_CASE(stored_keys_are_valid) {
  BOOST_TEST(valid_key("PC") == "PC_");
  BOOST_TEST(valid_key("rna_umap_") == "rnaumap_");
  BOOST_TEST(valid_key("tSNE_") == "tSNE_");
  BOOST_TEST(valid_key("_") == "");
}

// `orig.ident` and `active.ident` are the part of a cell's name before its first `_`.
BOOST_AUTO_TEST_CASE(identities_precede_the_first_underscore) {
  TestContext context;
  const auto levels = [&](const Texts& cells) {
    const ArrayPtr generated = identities(text_array(cells), "P", context);
    BOOST_TEST(generated->count() == cells.size());
    return native_factor(*generated)->levels;
  };
  BOOST_TEST(levels({"b_1", "a_1_x", "b_2"}) == (Texts{"a", "b"}));
  BOOST_TEST(texts_in(identities(text_array({"b_1", "a_1", "b_2"}), "P", context)) == (Texts{"b", "a", "b"}));
  BOOST_TEST(levels({"b1", "a1", "c1"}) == Texts{"P"});  // as many as cells
  BOOST_TEST(levels({"b1"}) == Texts{"P"});
  for (const int groups : {100, 101}) {
    Texts cells;
    for (int i = 0; i < 2 * groups; ++i) cells.push_back(fmt::format("{:03}_{}", i / 2, i % 2));
    const Texts generated = levels(cells);
    BOOST_TEST(generated.size() == (groups == 100 ? 100u : 1u));
    BOOST_TEST(generated[0] == (groups == 100 ? "000" : "P"));
  }
}

// Duplicate names of cells are made unique by `.1`, `.2`, ….
BOOST_AUTO_TEST_CASE(duplicate_or_unnamed_cells_are_renamed) {
  TestContext context;
  const auto generated = [&](const Texts& cells) { return texts_in(cell_names(text_array(cells), context)); };
  BOOST_TEST(generated({"a", "b", "c"}) == (Texts{"a", "b", "c"}));
  BOOST_TEST(context.warnings().empty());
  BOOST_TEST(generated({"a", "b", "a"}) == (Texts{"a", "b", "a.1"}));
  BOOST_TEST(
      context.warned("1 cells have names that Seurat does not accept; for example \"a\" becomes \"a.1\""));
  BOOST_TEST(generated({"a", ""}) == (Texts{"a", "X"}));
  BOOST_TEST(message_of([&] { identities(text_array({}), "P", context); }) ==
             "no cells, which a Seurat object requires");
}

BOOST_AUTO_TEST_CASE(more_names_than_memory_holds_are_refused) {
  TestContext context(size_t{1} << 20);
  const std::string reported = message_of([&] { cell_names(numbered_texts(uint64_t{1} << 40), context); });
  BOOST_TEST(reported == "1099511627776 cells are too many to distinguish with a cache of 1048576 bytes");
  const std::string of_features =
      message_of([&] { held_texts(*numbered_texts(10000, "g"), "features", context); });
  BOOST_TEST(of_features == "10000 features are too many to distinguish with a cache of 1048576 bytes");
}

// A normalised X is not counts, regardless of other matrices.
BOOST_AUTO_TEST_CASE(a_normalised_matrix_is_never_counts) {
  AnnotatedMatrix matrix = small();
  BOOST_TEST(chosen(matrix) == "X, X");
  matrix.x = by_cell(2.5);
  BOOST_TEST(chosen(matrix) == "none, X");
  matrix.raw = raw_of(by_cell(1.5), {"g1", "g2"});
  BOOST_TEST(chosen(matrix) == "none, X");
  matrix.raw = raw_of(by_cell(3), {"g1", "g2"});
  BOOST_TEST(chosen(matrix) == "raw/X, X");
  matrix.raw = raw_of(by_cell(3), {"g2", "g1"});  // other genes
  BOOST_TEST(chosen(matrix) == "none, X");
  matrix.x = by_cell(std::numeric_limits<float>::quiet_NaN());
  BOOST_TEST(chosen(matrix) == "none, X");
  matrix.x = by_cell(std::numeric_limits<float>::infinity());
  BOOST_TEST(chosen(matrix) == "none, X");
}

BOOST_AUTO_TEST_CASE(counts_are_the_matrix_of_that_name) {
  AnnotatedMatrix matrix = small();
  matrix.layers = {{"spliced", by_cell(3)}, {"counts", by_cell(1.25)}};
  BOOST_TEST(chosen(matrix) == "layers/counts, X");
  matrix.x = by_cell(2.5);
  matrix.raw = raw_of(by_cell(3), {"g1", "g2"});
  BOOST_TEST(chosen(matrix) == "layers/counts, X");
  matrix.x = {};
  BOOST_TEST(chosen(matrix) == "layers/counts, layers/counts");
  matrix.layers.clear();
  BOOST_TEST(chosen(matrix) == "raw/X, raw/X, genes of raw");
  matrix.raw.reset();
  BOOST_TEST(message_of([&] { chosen(matrix); }) == "no matrix that can be Seurat's data");
}

// Beside a dense X with values below 0, which is `scale.data`, it is `raw/X`.
BOOST_AUTO_TEST_CASE(raw_is_the_data_of_a_scaled_matrix) {
  AnnotatedMatrix matrix = small();
  matrix.x = dense({-1, 0.5, 2, 1, -0.25, 0});
  BOOST_TEST(chosen(matrix) == "none, X");  // and of no other matrix
  matrix.raw = raw_of(by_cell(1.5), {"g1", "g2"});
  BOOST_TEST(chosen(matrix) == "none, raw/X, scaled, genes of raw");
  matrix.raw = raw_of(by_cell(3), {"g1", "g2"});
  BOOST_TEST(chosen(matrix) == "raw/X, raw/X, scaled, genes of raw");
  matrix.layers = {{"counts", by_cell(7)}};
  BOOST_TEST(chosen(matrix) == "layers/counts, layers/counts, scaled");
  matrix.raw = raw_of(by_cell(1.5), {"g1", "g2"});
  BOOST_TEST(chosen(matrix) == "layers/counts, raw/X, scaled");
  matrix.raw = raw_of(by_cell(1.5), {"g1", "other"});
  BOOST_TEST(chosen(matrix) == "none, raw/X, scaled, genes of raw");
  matrix.raw.reset();
  BOOST_TEST(chosen(matrix) == "layers/counts, layers/counts, scaled");
}

BOOST_AUTO_TEST_CASE(a_sparse_matrix_with_values_below_0_is_the_data) {
  AnnotatedMatrix matrix = small();
  matrix.x = by_cell(-1.5);
  BOOST_TEST(chosen(matrix) == "none, X");
  matrix.raw = raw_of(by_cell(3), {"g1", "g2"});
  BOOST_TEST(chosen(matrix) == "raw/X, X");
  matrix.layers = {{"counts", by_cell(7)}};
  BOOST_TEST(chosen(matrix) == "layers/counts, X");
  TestContext context;
  const SeuratObject object = object_of(alone(matrix), context);
  BOOST_REQUIRE(object.assays.size() == 2U);
  BOOST_TEST(object.assays[1].name == "raw");
}

// An experiment's assay `counts` is counts, and its assay `logcounts`, else the first, is X.
BOOST_AUTO_TEST_CASE(assays_of_an_experiment_are_chosen_by_name) {
  AnnotatedMatrix matrix = small();
  matrix.x_name = "counts";
  matrix.x = by_cell(1.25);
  BOOST_TEST(chosen(matrix) == "assay counts, assay counts");
  matrix.layers = {{"logcounts", by_cell(2.5)}};
  BOOST_TEST(chosen(matrix) == "assay counts, assay logcounts");
  matrix.x_name = "logcounts";
  matrix.layers = {{"counts", by_cell(3)}};
  BOOST_TEST(chosen(matrix) == "assay counts, assay logcounts");
  matrix.x_name = "tpm";
  matrix.layers.clear();
  BOOST_TEST(chosen(matrix) == "none, assay tpm");
}

BOOST_AUTO_TEST_CASE(a_matrix_of_other_sides_is_damage) {
  AnnotatedMatrix matrix = small();
  matrix.genes = 3;
  BOOST_TEST(message_of([&] { chosen(matrix); }) == "X is 3 by 2, expected 3 by 3");
  matrix = small();
  matrix.layers = {{"counts", dense({1, 2, 3})}};
  BOOST_TEST(message_of([&] { chosen(matrix); }) == "layers/counts is 3 by 1, expected 3 by 2");
}

// `meta.data` has `orig.ident`, and if there are counts also `nCount_A` and `nFeature_A`.
BOOST_AUTO_TEST_CASE(columns_of_obs_stay_in_line_with_the_cells) {
  TestContext context;
  AnnotatedMatrix matrix = small();
  const ArrayPtr group =
      factor(numbers<int8_t>({1, 0, -1}), text_array({"z", "a"}), 0, "/group", context, true);
  matrix.obs.columns = {
      {"n", numbers<int64_t>({7, 8, 9})}, {"nCount_RNA", numbers<double>({1.5, 2.5, 3.5})}, {"group", group}};
  const SeuratObject object = object_of(alone(matrix), context);
  BOOST_TEST(names_of(object.meta_data) == (Texts{"orig.ident", "nCount_RNA", "nFeature_RNA", "n", "group"}));
  BOOST_TEST(texts_in(object.meta_data[0].values) == (Texts{"a", "b", "a"}));
  BOOST_TEST(numbers_in<double>(object.meta_data[1].values) == (std::vector<double>{1.5, 2.5, 3.5}));
  BOOST_TEST(numbers_in<int32_t>(object.meta_data[2].values) == (std::vector<int32_t>{1, 0, 2}));
  BOOST_TEST(numbers_in<int64_t>(object.meta_data[3].values) == (std::vector<int64_t>{7, 8, 9}));
  const auto levels = native_factor(*object.meta_data[4].values);
  BOOST_REQUIRE(levels.has_value());
  BOOST_TEST(levels->levels == (Texts{"z", "a"}));
  BOOST_TEST(levels->parts.is_ordered);
  matrix.obs.columns.push_back({"n", numbers<int>({1, 2, 3})});
  BOOST_TEST(names_of(object_of(alone(matrix), context).meta_data) ==
             (Texts{"orig.ident", "nCount_RNA", "nFeature_RNA", "n", "group", "n.1"}));
  BOOST_TEST(context.warned("seurat.rds: obs: the column name n is repeated; this one becomes n.1"));
  matrix.obs.columns.back() = {"short", numbers<int>({1, 2})};
  BOOST_TEST(message_of([&] { object_of(alone(matrix), context); }).find("column short has 2 values for 3") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(cells_are_summed_if_obs_has_no_sums) {
  TestContext context;
  AnnotatedMatrix matrix = small();
  const auto sums = [&] {
    const SeuratObject object = object_of(alone(matrix), context);
    return std::pair(numbers_in<double>(object.meta_data.at(1).values),
                     read_all(*object.meta_data.at(2).values));
  };
  BOOST_TEST(sums().first == (std::vector<double>{1, 0, 8}));
  matrix.x = dense({0, 3, 0, 0, 5, 6});
  BOOST_TEST(sums().first == (std::vector<double>{3, 0, 11}));
  SparseMatrix by_gene = by_cell(4);  // a csc of the same
  by_gene.by_row = false;
  by_gene.index = numbers<uint32_t>({2, 0, 2});
  by_gene.pointer = numbers<uint64_t>({0, 1, 3});
  by_gene.value = numbers<uint16_t>({4, 1, 4});
  matrix.x = by_gene;
  BOOST_TEST(sums().first == (std::vector<double>{1, 0, 8}));
  SparseMatrix with_nan = by_cell(4);
  with_nan.value = numbers<double>({-1, std::nan(""), 2});
  matrix.x = by_cell(4);
  matrix.layers = {{"counts", with_nan}};
  const auto [counts, features] = sums();
  BOOST_TEST(counts[0] == -1);
  BOOST_TEST(std::isnan(counts[2]));
  BOOST_TEST(features.values<int32_t>()[0] == 0);
  BOOST_TEST(features.is_missing(2));
  BOOST_TEST(!features.is_missing(0));
}

// More cells than are summed together, and more entries than one thread reads at a time.
BOOST_AUTO_TEST_CASE(sums_match_a_loop_for_any_block_size) {
  TestContext context;
  constexpr uint64_t kCells = 70'001, kGenes = 7;
  SparseMatrix x;
  std::vector<double> values, want(kCells);
  std::vector<uint32_t> index;
  std::vector<uint64_t> pointer{0};
  for (uint64_t cell = 0; cell < kCells; ++cell) {
    for (uint32_t gene = 0; gene < kGenes; ++gene) {
      if ((cell * 31 + gene * 17) % 5 == 0) continue;
      values.push_back(0.1 * static_cast<double>((cell + gene) % 9));
      index.push_back(gene);
      want[cell] += values.back();
    }
    pointer.push_back(values.size());
  }
  x.rows = kCells;
  x.columns = kGenes;
  x.by_row = true;
  x.value = numbers(values);
  x.index = numbers(index);
  x.pointer = numbers(pointer);
  AnnotatedMatrix matrix;
  matrix.cells = matrix.obs.rows = kCells;
  matrix.genes = matrix.var.rows = kGenes;
  matrix.layers = {{"counts", x}};
  const SeuratObject object = object_of(alone(matrix), context);
  const Array& sums = *object.meta_data[1].values;
  BOOST_TEST((numbers_in<double>(object.meta_data[1].values) == want));
  const Elements some = sums.read({{65'530}, {12}});
  for (size_t i = 0; i < 12; ++i) BOOST_TEST(some.values<double>()[i] == want[65'530 + i]);
}

// A reduction does not overwrite another one with the same key or name.
BOOST_AUTO_TEST_CASE(no_reduction_hides_another) {
  TestContext context;
  AnnotatedMatrix matrix = small();
  const auto part = [](const char* name, double first) {
    return AnnotatedPart{name, dense({first, 2, 3, 4, 5, 6})};
  };
  matrix.obsm = {part("X_pca", 1), part("pca", 2),    part("PC", 3),      part("X_RNA", 4),
                 part("nn", 5),    part("X_umap", 6), part("X_t-SNE", 7), {"table", Table()}};
  matrix.obsp = {{"nn", by_cell(1)}, {"dense", dense({1, 2, 3, 4, 5, 6, 7, 8, 9})}};
  auto& graph = std::get<SparseMatrix>(matrix.obsp[0].content);
  graph.columns = 3;
  const SeuratObject object = object_of(alone(matrix), context);
  Texts names, keys;
  std::vector<double> firsts;
  for (const SeuratObject::Reduction& reduction : object.reductions) {
    names.push_back(reduction.name);
    keys.push_back(reduction.key);
    firsts.push_back(numbers_in<double>(reduction.embeddings.values)[0]);
  }
  BOOST_TEST(names == (Texts{"pca", "pca.1", "PC", "RNA.1", "nn.1", "umap", "t.SNE"}));
  BOOST_TEST(keys == (Texts{"PC_", "pca1_", "PC2_", "RNA1_", "nn1_", "UMAP_", "tSNE_"}));
  BOOST_TEST(firsts == (std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
  BOOST_TEST(object.reductions[5].is_global);
  BOOST_TEST(!object.reductions[0].is_global);
  BOOST_TEST(object.graphs.size() == 1u);
  // A table and a dense graph have no class, so they are lists in misc.
  BOOST_REQUIRE(object.misc.members.size() == 2U);
  BOOST_TEST(object.misc.members[0].name == "obsp");
  BOOST_TEST(object.misc.members[1].name == "obsm");
}

BOOST_AUTO_TEST_CASE(a_graph_of_other_sides_is_left_out) {
  TestContext context;
  AnnotatedMatrix matrix = small();
  matrix.obsp = {{"nn", by_cell(1)}};  // 3 by 2
  BOOST_TEST(object_of(alone(matrix), context).graphs.empty());
  BOOST_TEST(context.warned("seurat.rds: /obsp/nn: not in the object: it is 3 by 2 for 3 cells"));
}

// The properties of X's genes apply to the names of raw.
BOOST_AUTO_TEST_CASE(genes_of_a_scaled_matrix_take_the_names_of_raw) {
  TestContext context;
  AnnotatedMatrix matrix = small();
  matrix.var.row_names = text_array({"c_1", "a"});
  matrix.var.columns = {{"highly_variable", as_logical(numbers<int8_t>({1, 0}))}};
  matrix.x = dense({-1, 10, -2, 20, -3, 30});
  SparseMatrix x = by_cell(1.5);
  x.columns = 4;
  matrix.raw = raw_of(x, {"a", "b", "c_1", "a"});
  matrix.raw->var.columns = {{"n", numbers<int32_t>({1, 2, 3, 4})}};
  matrix.obsm = {{"X_pca", dense({1, 2, 3, 4, 5, 6})}};
  matrix.varm = {{"PCs", LabelledArray{numbers<double>({1, 2, 3, 4}, {2, 2}), nullptr, nullptr}}};
  const SeuratObject object = object_of(alone(matrix), context);
  const SeuratObject::Assay& assay = object.assays.at(0);
  BOOST_TEST(texts_in(assay.features) == (Texts{"a", "b", "c-1", "a.1"}));
  BOOST_TEST(texts_in(assay.scaled_features) == (Texts{"a", "c-1"}));
  BOOST_TEST(numbers_in<double>(assay.scaled.values) == (std::vector<double>{10, -1, 20, -2, 30, -3}));
  BOOST_TEST(texts_in(assay.variable_features) == Texts{"c-1"});
  BOOST_TEST(names_of(assay.columns) == (Texts{"n", "highly_variable"}));
  BOOST_TEST(texts_in(object.reductions.at(0).features) == (Texts{"c-1", "a"}));
  BOOST_TEST(context.warned("2 features have names that Seurat does not accept"));
  BOOST_TEST(context.warned("counts of RNA: none; data: raw/X"));
  // Genes that raw lacks provide no properties for its features.
  matrix.var.row_names = text_array({"c_1", "elsewhere"});
  const SeuratObject other = object_of(alone(matrix), context);
  BOOST_TEST(!other.assays[0].scaled.values);
  BOOST_TEST(!other.assays[0].variable_features);
  BOOST_TEST(!other.reductions[0].loadings.values);
  BOOST_TEST(context.warned("seurat.rds: /X: not in the object: it has genes that raw does not have"));
}

// Other cells, or another order of them, are unsupported.
BOOST_AUTO_TEST_CASE(modalities_have_one_list_of_cells) {
  TestContext context;
  JointMatrices joint{{{"rna", small()}, {"prot", small()}}, small().obs, {}, {}};
  joint.parts[0].matrix.obsm = joint.parts[1].matrix.obsm = {{"X_pca", dense({1, 2, 3, 4, 5, 6})}};
  joint.obsm = {{"X_joint", dense({1, 2, 3})}};
  joint.obs.columns = {{"n", numbers<int32_t>({1, 2, 3})}};
  joint.parts[1].matrix.obs.columns = {{"its own", numbers<int32_t>({1, 2, 3})}};
  const SeuratObject object = object_of(joint, context);
  BOOST_TEST(object.active_assay == "rna");
  BOOST_TEST(object.assays.at(1).name == "prot");
  BOOST_TEST(object.assays.at(1).key == "prot_");
  BOOST_TEST(names_of(object.meta_data) == (Texts{"orig.ident", "nCount_rna", "nFeature_rna", "nCount_prot",
                                                  "nFeature_prot", "n", "prot.its own"}));
  Texts names;
  for (const SeuratObject::Reduction& reduction : object.reductions)
    names.push_back(reduction.name + " of " + reduction.assay + " " + reduction.key);
  BOOST_TEST(names == (Texts{"pca of rna PC_", "prot.pca of prot protpca_", "joint of rna joint_"}));
  joint.parts[1].matrix.obs.row_names = text_array({"b_1", "a_1", "a_2"});
  BOOST_TEST(message_of([&] { object_of(joint, context); }) ==
             "prot has other cells than rna, or in another order");
  joint.parts[1].matrix.obs.row_names = joint.parts[0].matrix.obs.row_names;
  joint.obs.row_names = text_array({"b_1", "a_1", "a_2"});
  BOOST_TEST(message_of([&] { object_of(joint, context); }) ==
             "obs has other cells than rna, or in another order");
}

// Over 2^31 - 1 entries are unsupported at once.
BOOST_AUTO_TEST_CASE(counts_beyond_32_bits_are_refused) {
  struct Endless : Array {
    explicit Endless(uint64_t count) : Array(number_type(Kind::real, 4), {count}) {}
    Elements read(const Box& box) const override { return zero_elements(dtype(), box.extent[0]); }
  };
  TestContext context;
  const auto reported = [&](uint64_t entries, uint64_t genes) {
    AnnotatedMatrix matrix = small();
    SparseMatrix x = by_cell(1);
    x.value = std::make_shared<Endless>(entries);
    x.index = std::make_shared<Endless>(entries);
    x.columns = matrix.genes = matrix.var.rows = genes;
    matrix.var.row_names = nullptr;
    matrix.x = x;
    return message_of([&] { seurat_rds(alone(matrix), context); });
  };
  const std::string rest = " are too many for R's sparse matrices; by/COLUMN/LEVEL/ has files of fewer cells";
  BOOST_TEST(reported(uint64_t{1} << 31, 2) == "2147483648 entries" + rest);
  BOOST_TEST(reported(3, uint64_t{1} << 31) == "2147483648 rows" + rest);
}

BOOST_AUTO_TEST_CASE(empty_matrices_have_no_object) {
  TestContext context;
  AnnotatedMatrix matrix = small();
  matrix.genes = matrix.var.rows = 0;
  matrix.var.row_names = text_array({});
  std::get<SparseMatrix>(matrix.x).columns = 0;
  matrix.x = LabelledArray{numbers<double>({}, {3, 0}), nullptr, nullptr};
  BOOST_TEST(message_of([&] { object_of(alone(matrix), context); }) ==
             "no features, which a Seurat assay requires");
  matrix = small();
  matrix.obs.rows = 2;
  matrix.obs.row_names = text_array({"a", "b"});
  BOOST_TEST(message_of([&] { object_of(alone(matrix), context); }) == "obs has 2 rows, expected 3");
}

BOOST_AUTO_TEST_CASE(columns_unsupported_by_r_are_left_out) {
  TestContext context;
  AnnotatedMatrix matrix = small();
  const std::string nul("b\0c", 3);
  matrix.obs.columns = {
      {"text", text_array({"a", nul, "d"})},
      {"level", factor(numbers<int8_t>({1, 0, -1}), text_array({"z", nul}), 0, "/l", context)},
      {"n", numbers<int64_t>({7, 8, 9})}};
  BOOST_TEST(names_of(object_of(alone(matrix), context).meta_data) ==
             (Texts{"orig.ident", "nCount_RNA", "nFeature_RNA", "n"}));
  BOOST_TEST(context.warned("seurat.rds: obs: column text is left out: text 1 contains a NUL"));
  BOOST_TEST(context.warned("seurat.rds: obs: column level is left out"));
}

BOOST_AUTO_TEST_CASE(a_stored_object_is_completed) {
  TestContext context;
  SeuratObject object;
  object.cells = text_array({"c1", "c2", "c3"});
  object.project = "P";
  object.active_assay = "RNA";
  SeuratObject::Assay assay;
  assay.name = "RNA";
  assay.features = text_array({"g1", "g1"});
  assay.data = transposed(by_cell(2.5));
  object.assays = {assay};
  seurat_rds(object, context);
  BOOST_TEST(context.warned(
      "1 features have names that Seurat does not accept; for example \"g1\" becomes \"g1.1\""));
  object.assays[0].features = text_array({"g1", "g2"});
  const std::string file = whole_text(*layout_file([&] { return seurat_rds(object, context); }, context));
  BOOST_TEST(file.find("rna_") != std::string::npos);
  object.assays[0].features = text_array({"g1", "g2", "g3"});
  BOOST_TEST(message_of([&] { seurat_rds(object, context); }) ==
             "a matrix of RNA is 2 by 3, expected 3 by 3");
}

// One cell on a picture of 2 by 4 pixels.
Slide small_slide() {
  Slide slide;
  slide.name = "lib";
  slide.cells = {2};
  for (const char* name : {"tissue", "row", "col", "imagerow", "imagecol"})
    slide.coordinates.push_back({name, numbers<double>({1})});
  slide.pixels = numbers<uint8_t>(std::vector<uint8_t>(24, 255), {2, 4, 3});
  slide.lowres = 0.5;
  return slide;
}

BOOST_AUTO_TEST_CASE(a_slide_without_a_picture_is_left_out) {
  TestContext context;
  AnnotatedMatrix matrix = small();
  Slide bare = small_slide();
  bare.name = "bare";
  bare.pixels = nullptr;
  matrix.slides = [&] { return std::vector{bare, small_slide()}; };
  const SeuratObject generated = object_of(alone(matrix), context);
  BOOST_REQUIRE(generated.images.size() == 1U);
  BOOST_TEST(generated.images[0].key == "lib_");
  BOOST_TEST(generated.images[0].assay == "RNA");
  BOOST_TEST(
      context.warned("seurat.rds: the slide bare, of which no picture can be read: not in the object"));
}

// Returns the bytes of a double in R's encoding.
std::string big_endian(double value) {
  std::string bytes(8, 0);
  std::memcpy(bytes.data(), &value, 8);
  return {bytes.rbegin(), bytes.rend()};
}

BOOST_AUTO_TEST_CASE(a_spot_is_drawn_by_its_diameter) {
  const auto radius_of = [](double spot, double fiducial, bool is_logged) {
    TestContext context;
    AnnotatedMatrix matrix = small();
    Slide slide = small_slide();
    slide.spot = spot;
    slide.fiducial = fiducial;
    matrix.slides = [&] { return std::vector{slide}; };
    const std::string file =
        whole_text(*layout_file([&] { return seurat_rds(alone(matrix), context); }, context));
    BOOST_TEST(context.warned("unknown spot diameter") == is_logged);
    const size_t slot = file.find("spot.radius");
    BOOST_REQUIRE(slot != std::string::npos);
    return file.substr(slot + std::string("spot.radius").size() + 8, 8);  // after the type and the length
  };
  BOOST_TEST(radius_of(8, 16, false) == big_endian(2));
  BOOST_TEST(radius_of(8, Slide::kUnknown, false) == big_endian(1));
  BOOST_TEST(radius_of(Slide::kUnknown, Slide::kUnknown, true) == big_endian(0.005));
}

// Neither the size nor the bytes before the entries wait for a matrix to be transposed or summed.
BOOST_AUTO_TEST_CASE(the_size_reads_the_first_values_alone) {
  TestContext context;
  constexpr uint64_t kCells = 512, kGenes = 1024;
  SparseMatrix x;  // a csc of cells by genes: each gene in each cell
  std::vector<uint16_t> values(kCells * kGenes, 3);
  std::vector<uint32_t> index;
  std::vector<uint64_t> pointer{0};
  for (uint64_t gene = 0; gene < kGenes; ++gene) {
    for (uint32_t cell = 0; cell < kCells; ++cell) index.push_back(cell);
    pointer.push_back(index.size());
  }
  const auto chunked_values = std::make_shared<ChunkedCopy>(context, numbers(values), Shape{16384});
  const auto chunked_index = std::make_shared<ChunkedCopy>(context, numbers(index), Shape{16384});
  x.rows = kCells;
  x.columns = kGenes;
  x.value = chunked_values;
  x.index = chunked_index;
  x.pointer = numbers(pointer);
  AnnotatedMatrix matrix;
  matrix.cells = matrix.obs.rows = kCells;
  matrix.genes = matrix.var.rows = kGenes;
  matrix.x = x;
  const auto file = layout_file([&] { return seurat_rds(alone(matrix), context); }, context);
  BOOST_TEST(file->size() > 2 * 12 * kCells * kGenes);
  BOOST_TEST(chunked_values->chunks_decoded() == 4u);
  BOOST_TEST(chunked_index->chunks_decoded() == 0u);
  BOOST_TEST(whole_text(*file).size() == file->size());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
