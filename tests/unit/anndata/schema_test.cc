#include "formats/schemas/anndata/schema.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/view_text.h"
#include "tests/unit/anndata/anndata_store.h"

namespace plainfs::anndata {
namespace {

const SparseMatrix& matrix_of(const Node& node) {
  return std::get<SparseMatrix>(node.content);
}
const LabelledArray& array_in(const Node& node) {
  return std::get<LabelledArray>(node.content);
}

Node dense(Shape shape) {
  return array_node<double>(std::vector<double>(element_count(shape)), shape);
}

BOOST_AUTO_TEST_SUITE(anndata_schema)

BOOST_AUTO_TEST_CASE(is_known_by_its_encoding_or_by_obs_and_var) {
  AnnDataStore store;
  for (const char* version : {"0.1.0", "7.0.0"}) {
    store.root->set_attributes(encoding("anndata", version));
    BOOST_TEST(store.refined_root().parts->find("obs").has_value(), version);
  }
  store.root->set_attributes({});  // anndata 0.7
  BOOST_TEST(matrix_of(store.at({"X"})).row_names != nullptr);
  const Node refined = [&] {
    store.root->set_attributes(encoding("anndata", "0.1.0"));
    return store.refined_root();
  }();
  BOOST_TEST(!anndata::refine(refined, store.context).has_value());
}

class InnerGroup final : public MemoryGroup {
 public:
  GroupPtr parent() const override { return outer_; }

 private:
  const GroupPtr outer_ = std::make_shared<MemoryGroup>();
};

// Like anndata's read_h5ad(). A part of a store keeps its own encoding.
BOOST_AUTO_TEST_CASE(root_with_obs_and_var_is_anndata_despite_its_encoding) {
  AnnDataStore store;
  const auto inner = std::make_shared<InnerGroup>();
  add_frame(*inner, "obs", {"c1"});
  add_frame(*inner, "var", {"g1"});
  const auto has_meaning = [&](const std::shared_ptr<MemoryGroup>& group, const char* type) {
    group->set_attributes(encoding(type, "0.1.0"));
    Node node;
    node.parts = group;
    return anndata::refine(node, store.context).has_value();
  };
  BOOST_TEST(has_meaning(store.root, "AnnData"));
  BOOST_TEST(has_meaning(store.root, "hologram"));
  BOOST_TEST(has_meaning(inner, "AnnData"));
  BOOST_TEST(!has_meaning(inner, "hologram"));
}

BOOST_AUTO_TEST_CASE(temporary_read_failure_decides_nothing) {
  AnnDataStore unknown;
  unknown.root = std::make_shared<MemoryGroup>();  // anndata 0.7
  unknown.root->add("obs", Node{unreadable("the disk fails")});
  add_frame(*unknown.root, "var", {"g1"});
  BOOST_TEST(message_of([&] { unknown.refined_root(); }) == "the disk fails");

  AnnDataStore store;
  const Node root = store.refined_root();
  const auto cells = [&] { return matrix_of(*root.parts->find("X")).column_names; };
  set_attribute(*store.obs, "_index", Json(), unreadable("the disk fails"));
  BOOST_TEST(message_of([&] { cells()->check(); }).find("the disk fails") != std::string::npos);
  set_attribute(*store.obs, "_index", Json("_index"));
  BOOST_TEST(shown(*cells()) == (Texts{"c1", "c2", "c3"}));
}

// They name every column. A request for each column would make listing a table of n columns take n * n names.
BOOST_AUTO_TEST_CASE(attribute_reads_do_not_grow_with_columns) {
  std::vector<int> asked;
  for (const size_t columns : {2, 40}) {
    AnnDataStore store;
    std::vector<std::string> names;
    for (size_t i = 0; i < columns; ++i) names.push_back("c" + std::to_string(i));
    set_attribute(*store.obs, "column-order", texts(names));
    for (const std::string& name : names) store.obs->add_array(name);
    const int before = store.obs->times_asked_for_attributes();
    const Node frame = store.at({"obs"});
    BOOST_TEST(std::get<Table>(frame.content).columns.size() == columns);
    BOOST_TEST(frame.parts->members().size() == columns + 1);
    for (const std::string& name : names) BOOST_TEST(frame.parts->find(name).has_value());
    asked.push_back(store.obs->times_asked_for_attributes() - before);
  }
  BOOST_TEST(asked[0] == asked[1]);
}

BOOST_AUTO_TEST_CASE(expression_is_genes_by_cells) {
  AnnDataStore store;
  const Node node = store.at({"X"});
  const SparseMatrix& csr = matrix_of(node);
  BOOST_TEST((csr.rows == 2 && csr.columns == 3 && !csr.by_row));
  BOOST_TEST(shown(*csr.row_names) == (Texts{"g1", "g2"}));
  BOOST_TEST(shown(*csr.column_names) == (Texts{"c1", "c2", "c3"}));
  store.x->set_attributes(encoding("csc_matrix", "0.1.0"));
  set_attribute(*store.x, "shape", counts({3, 2}));
  const Node turned = store.at({"X"});
  BOOST_TEST((matrix_of(turned).rows == 2 && matrix_of(turned).by_row));
}

BOOST_AUTO_TEST_CASE(a_dense_layer_of_text_is_labelled_and_has_no_matrix) {
  AnnDataStore store;
  const ArrayPtr words = text_array({"a", "b", "c", "d", "e", "f"});
  Node text_node;
  text_node.content = LabelledArray{
      std::make_shared<MemoryArray>(words->dtype(), Shape{3, 2}, read_all(*words)), nullptr, nullptr};
  store.root->add_group("layers")->add("words", text_node);
  const Node node = store.at({"layers", "words"});
  BOOST_TEST(shown(*array_in(node).row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_TEST(shown(*array_in(node).column_names) == (Texts{"g1", "g2"}));
  BOOST_TEST(!array_in(node).matrix.has_value());
}

BOOST_AUTO_TEST_CASE(key_with_a_slash_is_a_path_to_the_array) {
  AnnDataStore store;
  const auto inner = store.root->add_group("layers")->add_group("a");
  inner->add("dense", dense({3, 2}));
  add_csr(*inner->add_group("b"), "sparse");
  store.root->add_group("obsm")->add_group("a")->add("pca", dense({3, 5}));
  store.root->add_group("varp")->add_group("a")->add("graph", dense({2, 2}));
  const Node layer = store.at({"layers", "a", "dense"});
  BOOST_TEST(shown(*array_in(layer).row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_TEST(array_in(layer).matrix.has_value());
  const Node sparse = store.at({"layers", "a", "b", "sparse"});
  BOOST_TEST((matrix_of(sparse).rows == 2 && matrix_of(sparse).columns == 3));
  BOOST_TEST(shown(*matrix_of(sparse).row_names) == (Texts{"g1", "g2"}));
  BOOST_TEST(shown(*array_in(store.at({"obsm", "a", "pca"})).row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_TEST(!array_in(store.at({"obsm", "a", "pca"})).column_names);
  BOOST_TEST(shown(*array_in(store.at({"varp", "a", "graph"})).column_names) == (Texts{"g1", "g2"}));
}

BOOST_AUTO_TEST_CASE(a_dense_matrix_has_labels_and_the_files_of_a_sparse_one) {
  AnnDataStore store;
  const auto layers = store.root->add_group("layers");
  layers->add("d", dense({3, 2})).add("cube", dense({3, 2, 1})).add_text("text");
  const Node node = store.at({"layers", "d"});
  BOOST_TEST(shown(*array_in(node).row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_TEST(shown(*array_in(node).column_names) == (Texts{"g1", "g2"}));
  BOOST_TEST_REQUIRE(array_in(node).matrix.has_value());
  BOOST_TEST(array_in(node).matrix->transposed);
  BOOST_TEST(shown(*array_in(node).matrix->row_names) == (Texts{"g1", "g2"}));
  BOOST_TEST(!array_in(store.at({"layers", "cube"})).matrix.has_value());
  BOOST_TEST(!array_in(store.at({"layers", "text"})).matrix.has_value());
}

BOOST_AUTO_TEST_CASE(other_matrices_stay_unchanged) {
  AnnDataStore store;
  store.root->add_group("obsm")->add("X_pca", dense({3, 5}));
  const auto obsp = store.root->add_group("obsp");
  set_attribute(*add_csr(*obsp, "d"), "shape", counts({3, 3}));
  const auto uns = store.root->add_group("uns");
  add_csr(*uns, "m");
  const Node pca = store.at({"obsm", "X_pca"});
  BOOST_TEST(shown(*array_in(pca).row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_TEST((!array_in(pca).column_names && !array_in(pca).matrix));
  const Node distances = store.at({"obsp", "d"});
  BOOST_TEST((matrix_of(distances).by_row && matrix_of(distances).rows == 3));
  BOOST_TEST(shown(*matrix_of(distances).row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_TEST(shown(*matrix_of(distances).column_names) == (Texts{"c1", "c2", "c3"}));
  const Node plain = store.at({"uns", "m"});
  BOOST_TEST((matrix_of(plain).by_row && matrix_of(plain).columns == 2));
  BOOST_TEST(!matrix_of(plain).row_names);
}

BOOST_AUTO_TEST_CASE(raw_has_genes_of_its_own) {
  AnnDataStore store;
  for (const char* type : {"raw", "anndata"}) {  // mudata may name it an AnnData
    const auto raw = std::make_shared<MemoryGroup>("/raw");
    raw->set_attributes(encoding(type, "0.1.0"));
    add_frame(*raw, "var", {"r1", "r2"});
    add_csr(*raw, "X");
    AnnDataStore with_raw;
    with_raw.root->add("raw", {{}, raw, {}, {}});
    const Node node = with_raw.at({"raw", "X"});
    BOOST_TEST(shown(*matrix_of(node).row_names) == (Texts{"r1", "r2"}), type);
    BOOST_TEST(shown(*matrix_of(node).column_names) == (Texts{"c1", "c2", "c3"}), type);
  }
}

BOOST_AUTO_TEST_CASE(textual_gene_ids_precede_the_names) {
  AnnDataStore store;
  set_attribute(*store.var, "column-order", texts({"gene_ids"}));
  store.var->add_text("gene_ids", {"E1", "E2"});
  BOOST_TEST(shown(*matrix_of(store.at({"X"})).row_ids) == (Texts{"E1", "E2"}));
  AnnDataStore numbers;
  set_attribute(*numbers.var, "column-order", texts({"gene_ids"}));
  numbers.var->add_array("gene_ids", {1, 2});
  BOOST_TEST(!matrix_of(numbers.at({"X"})).row_ids);
  AnnDataStore unlisted;
  unlisted.var->add_text("gene_ids", {"E1", "E2"});
  BOOST_TEST(!matrix_of(unlisted.at({"X"})).row_ids);
}

BOOST_AUTO_TEST_CASE(mismatched_names_are_not_used) {
  AnnDataStore store;
  set_attribute(*store.x, "shape", counts({3, 4}));
  const Node node = store.at({"X"});
  BOOST_TEST(!matrix_of(node).row_names);
  BOOST_TEST(matrix_of(node).column_names != nullptr);
  BOOST_TEST(store.context.warned("/X: rows: 2 names for 4 elements"));
}

BOOST_AUTO_TEST_CASE(unknown_names_are_absent_and_unreadable_ones_an_error) {
  AnnDataStore unknown;
  set_attribute(*unknown.obs, "_index", Json("elsewhere"));
  BOOST_TEST(!matrix_of(unknown.at({"X"})).column_names);
  AnnDataStore unreadable;
  set_attribute(*unreadable.obs, "_index", {}, damaged("no such heap"));
  const Node node = unreadable.at({"X"});
  BOOST_TEST(message_of([&] { matrix_of(node).column_names->check(); }) == "attribute _index: no such heap");
  BOOST_TEST(!matrix_of(node).error.has_value());
  BOOST_TEST(unreadable.context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(matrix_without_a_shape_is_damaged_and_nameless) {
  AnnDataStore store;
  store.x->set_attributes(encoding("csr_matrix", "0.1.0"));
  const Node node = store.at({"X"});
  BOOST_TEST_REQUIRE(matrix_of(node).error.has_value());
  BOOST_TEST(matrix_of(node).error->what() == std::string("/X: the shape of a sparse matrix is missing"));
  BOOST_TEST((!matrix_of(node).row_names && !matrix_of(node).column_names));
  set_attribute(*store.x, "shape", {}, unreadable("no such heap"));
  BOOST_TEST((matrix_of(store.at({"X"})).error->code() == Errc::unreadable));
}

BOOST_AUTO_TEST_CASE(unreadable_encoding_fails_and_unknown_one_is_plain) {
  AnnDataStore store;
  set_attribute(*store.x, "encoding-version", Json("9.0.0"));
  BOOST_TEST(std::holds_alternative<std::monostate>(store.at({"X"}).content));
  set_attribute(*store.x, "encoding-type", {}, damaged("no such heap"));
  const Node node = store.at({"X"});
  BOOST_TEST(std::get<Error>(node.content).what() == std::string("attribute encoding-type: no such heap"));
  BOOST_TEST(node.parts->find("data").has_value());
}

BOOST_AUTO_TEST_CASE(null_element_is_empty) {
  AnnDataStore store;
  const auto uns = store.root->add_group("uns");
  const auto scalar = [](Attributes attributes) {
    Elements elements = zero_elements(number_type(Kind::boolean, 1), 1);
    return Node{LabelledArray{std::make_shared<MemoryArray>(number_type(Kind::boolean, 1), Shape{},
                                                            std::move(elements), std::move(attributes)),
                              nullptr, nullptr}};
  };
  uns->add("none", scalar(encoding("null", "0.1.0")))
      .add("false", scalar(encoding("numeric-scalar", "0.2.0")));
  const Node node = store.at({"uns", "none"});
  BOOST_TEST(std::holds_alternative<Nothing>(node.content));
  BOOST_TEST(attributes_of(node).size() == 2u);
  BOOST_TEST(std::holds_alternative<LabelledArray>(store.at({"uns", "false"}).content));
}

BOOST_AUTO_TEST_CASE(nullable_values_have_text_only) {
  AnnDataStore store;
  const auto nullable = store.obs->add_group("n");
  nullable->set_attributes(encoding("nullable-integer", "0.1.0"));
  nullable->add_array("values", {4, 5, 6}).add("mask", array_node<int8_t>({0, 1, 0}));
  const Node node = store.at({"obs", "n"});
  BOOST_TEST(shown(*array_in(node).values) == (Texts{"4", "NA", "6"}));
  BOOST_TEST(!array_in(node).values->dtype().fixed_size());
  BOOST_TEST(attributes_of(node).size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_mudata_labels_its_own_matrices_but_masks_and_maps) {
  AnnDataStore store;
  store.root->set_attributes(encoding("MuData", "0.1.0"));
  const auto mod = store.root->add_group("mod");
  const auto rna = mod->add_group("rna");
  rna->set_attributes(encoding("anndata", "9"));
  add_frame(*rna, "obs", {"r1", "r2", "r3"});
  add_frame(*rna, "var", {"g1", "g2"});
  add_csr(*rna, "X");
  store.root->add_group("obsm")->add("rna", dense({3, 1})).add("X_mofa", dense({3, 2}));
  store.root->add_group("obsmap")->add("rna", dense({3, 1}));
  BOOST_TEST(!array_in(store.at({"obsm", "rna"})).row_names);
  BOOST_TEST(!array_in(store.at({"obsmap", "rna"})).row_names);
  const Node mofa = store.at({"obsm", "X_mofa"});
  BOOST_TEST(shown(*array_in(mofa).row_names) == (Texts{"c1", "c2", "c3"}));
  const Node x = store.at({"mod", "rna", "X"});
  BOOST_TEST(shown(*matrix_of(x).column_names) == (Texts{"r1", "r2", "r3"}));
}

BOOST_AUTO_TEST_CASE(info_lists_the_contents_of_a_store) {
  AnnDataStore anndata;
  anndata.root->add_group("layers")->add("counts", dense({3, 2}));
  anndata.root->add_group("uns")->add_text("a");
  Store store;
  store.format = "HDF5";
  store.root = anndata.refined_root();
  describe(anndata.refined_root(), store);
  BOOST_TEST(store.format == "AnnData");
  BOOST_TEST(
      to_json_text(store.details) ==
      R"({"container":"HDF5","anndata":{"n_obs":3,"n_vars":2,"X":"csr","dtype":"int32","layers":["counts"],)"
      R"("obsm":[],"varm":[],"obsp":[],"varp":[],"uns":["a"],"raw":null,"encoding":"0.8"}})");
  Store other;
  other.format = "HDF5";
  describe(Node(), other);
  BOOST_TEST(other.details.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::anndata
