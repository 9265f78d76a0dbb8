#include "formats/schemas/h5seurat/schema.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/unit/h5seurat/seurat_store.h"

namespace plainfs::h5seurat {
namespace {

constexpr int32_t kNoInteger = std::numeric_limits<int32_t>::min();

Node raw_root(const SeuratStore& store) {
  Node node;
  node.parts = store.root;
  return node;
}

const Array& values_of(const Node& node) {
  return *std::get<LabelledArray>(node.content).values;
}

BOOST_AUTO_TEST_SUITE(h5seurat_schema)

BOOST_AUTO_TEST_CASE(needs_its_three_attributes) {
  for (const std::string missing : {"project", "active.assay", "version"}) {
    SeuratStore store;
    Attributes attributes = store.root->attributes();
    std::erase_if(attributes, [&](const Attribute& attribute) { return attribute.name == missing; });
    store.root->set_attributes(attributes);
    BOOST_TEST(!store.refined(), missing);
  }
}

BOOST_AUTO_TEST_CASE(unreadable_attribute_keeps_the_meaning) {
  SeuratStore store;
  Attributes attributes = store.root->attributes();
  attributes.push_back({"long", unsupported("parts outside its 16 bytes")});
  for (Attribute& attribute : attributes)
    if (attribute.name == "active.assay") attribute = {attribute.name, damaged("no such heap")};
  store.root->set_attributes(attributes);
  store.assay->set_attributes({{"key", damaged("no such heap")}});
  const Shape stored{3, 2};
  store.assay->add("data", array_node<double>({1, 2, 3, 4, 5, 6}, stored));
  const auto matrix = std::get<LabelledArray>(store.at({"assays", "A", "data"}).content);
  BOOST_TEST(matrix.values->column_major());
  BOOST_TEST(matrix.row_names != nullptr);
}

BOOST_AUTO_TEST_CASE(refines_a_root_once) {
  SeuratStore store;
  const auto refined = h5seurat::refine(raw_root(store), store.context);
  BOOST_TEST_REQUIRE(refined.has_value());
  BOOST_TEST(!h5seurat::refine(*refined, store.context).has_value());
}

BOOST_AUTO_TEST_CASE(bit_patterns_of_na_are_missing) {
  SeuratStore store;
  store.root->add("i", array_node<int32_t>({1, kNoInteger, 2}));
  store.root->add("l", array_node<int64_t>({1, std::numeric_limits<int64_t>::min(), kNoInteger}));
  store.root->add("d", array_node<double>(
                           {na_real(), std::nan(""), std::bit_cast<double>(uint64_t{0x7FF80000000007A2})}));
  store.root->add("f", array_node<float>({std::nanf("1954"), 1}));
  BOOST_TEST(shown(values_of(store.at({"i"}))) == (Texts{"1", "NA", "2"}));
  BOOST_TEST(shown(values_of(store.at({"l"}))) == (Texts{"1", "NA", "-2147483648"}));
  BOOST_TEST(shown(values_of(store.at({"d"}))) == (Texts{"NA", "nan", "NA"}));
  BOOST_TEST(shown(values_of(store.at({"f"})))[0] == "nan");
}

BOOST_AUTO_TEST_CASE(logicals_are_named_by_their_class_or_their_group) {
  SeuratStore store;
  store.root->add("wide", array_node<int64_t>({0, 1, kNoInteger}, {}, {{"s3class", texts({"logical"})}}));
  BOOST_TEST(shown(values_of(store.at({"wide"})))[2] == "NA");
  const std::vector<int32_t> values{0, 1, 2, kNoInteger, 7};
  store.root->add("by.class", array_node(values, {}, {{"s3class", texts({"logical"})}}));
  const auto list = store.root->add_group("list");
  list->set_attributes({{"logicals", texts({"by.group"})}});
  list->add("by.group", array_node(values));
  list->add("integer", array_node(values));
  for (const Node& node : {store.at({"by.class"}), store.at({"list", "by.group"})}) {
    BOOST_TEST((values_of(node).dtype().kind == Kind::logical));
    BOOST_TEST(shown(values_of(node)) == (Texts{"0", "1", "NA", "NA", "7"}));
  }
  BOOST_TEST(shown(values_of(store.at({"list", "integer"}))) == (Texts{"0", "1", "2", "NA", "7"}));
}

BOOST_AUTO_TEST_CASE(factors_of_seurat_and_of_anndata_give_labels) {
  SeuratStore store;
  const auto seurat = store.root->add_group("seurat");
  seurat->add_text("levels", {"a", "b"}).add("values", array_node<int32_t>({2, 1, 0, kNoInteger, 3}));
  const auto anndata = store.root->add_group("anndata");
  anndata->add_text("categories", {"a", "b"}).add("codes", array_node<int8_t>({1, 0, -1}));
  BOOST_TEST(shown(values_of(store.at({"seurat"}))) == (Texts{"b", "a", "NA", "NA", "NA"}));
  BOOST_TEST(store.context.warned("3"));
  BOOST_TEST(shown(values_of(store.at({"anndata"}))) == (Texts{"b", "a", "NA"}));
  BOOST_TEST(store.context.warnings().size() == 1);
  const Node node = store.at({"seurat", "values"});
  BOOST_TEST(values_of(node).dtype().size == 4);
}

BOOST_AUTO_TEST_CASE(a_group_with_more_than_levels_and_values_is_no_factor) {
  SeuratStore store;
  const auto group = store.root->add_group("g");
  group->add_text("levels", {"a"}).add("values", array_node<int32_t>({1})).add_text("more");
  BOOST_TEST(std::holds_alternative<std::monostate>(store.at({"g"}).content));
}

BOOST_AUTO_TEST_CASE(columns_come_in_the_order_of_colnames_then_by_name) {
  SeuratStore store;
  const auto frame = store.root->add_group("meta.data");
  frame->set_attributes({{"colnames", texts({"y", "gone", "x"})}, {"_index", Json("_index")}});
  frame->add_text("_index", {"i1", "i2", "i3"}).add_array("a").add_array("x").add_array("y");
  const auto factor = frame->add_group("z");
  factor->add_text("levels", {"l"}).add("values", array_node<int32_t>({1, 1, 0}));
  const Node node = store.at({"meta.data"});
  const Table& table = std::get<Table>(node.content);
  Texts names;
  for (const Column& column : table.columns) names.push_back(column.name);
  BOOST_TEST(names == (Texts{"y", "x", "a", "z"}));
  BOOST_TEST(table.rows == 3);
  BOOST_TEST(shown(*table.row_names) == (Texts{"c1", "c2", "c3"}));
  BOOST_TEST(shown(*table.columns[3].values) == (Texts{"l", "l", "NA"}));
}

BOOST_AUTO_TEST_CASE(row_names_come_from_the_places_a_data_frame_keeps_them) {
  SeuratStore store;
  const auto frame = [&](const std::string& name) {
    const auto group = store.root->add_group(name);
    group->set_attributes({{"colnames", texts({"x"})}});
    group->add_array("x");
    return group;
  };
  frame("published")->add_text("row.names", {"r1", "r2", "r3"});
  const auto anndata = frame("anndata");
  anndata->set_attributes({{"colnames", texts({"x"})}, {"_index", texts({"id"})}});
  anndata->add_text("id", {"i1", "i2", "i3"});
  frame("sibling");
  store.root->add_text("sibling.row.names", {"s1", "s2", "s3"});
  frame("none");
  const auto row_names = [&](const std::string& name) {
    return std::get<Table>(store.at({name}).content).row_names;
  };
  BOOST_TEST(shown(*row_names("published"))[0] == "r1");
  BOOST_TEST(shown(*row_names("anndata"))[0] == "i1");
  BOOST_TEST(shown(*row_names("sibling"))[0] == "s1");
  BOOST_TEST(!row_names("none"));
}

BOOST_AUTO_TEST_CASE(mismatched_names_are_left_out_with_a_warning) {
  SeuratStore store;
  const auto frame = store.assay->add_group("meta.features");
  frame->add_array("x");  // three rows, two features
  const Node node = store.at({"assays", "A", "meta.features"});
  BOOST_TEST(!std::get<Table>(node.content).row_names);
  BOOST_TEST(store.context.warned("2 names for 3"));
}

BOOST_AUTO_TEST_CASE(columns_of_other_lengths_make_the_table_damaged) {
  SeuratStore store;
  store.root->add_group("meta.data")->add_array("a").add_array("b", {1, 2});
  const Node node = store.at({"meta.data"});
  BOOST_CHECK_EXCEPTION(std::get<Table>(node.content).columns[1].values->check(), Error,
                        mentions("/meta.data: column b has"));
}

BOOST_AUTO_TEST_CASE(other_members_are_left_out_with_a_warning) {
  SeuratStore store;
  const auto frame = store.root->add_group("meta.data");
  frame->add_array("x").add("matrix", array_node<int32_t>({1, 2, 3, 4}, {2, 2}));
  frame->add_group("list")->add_array("index1");
  frame->add_link("link", {"cell.names"});
  BOOST_TEST(std::get<Table>(store.at({"meta.data"}).content).columns.size() == 1);
  for (const char* name : {"matrix", "list", "link"}) BOOST_TEST(store.context.warned(name), name);
}

struct SparseStore : SeuratStore {
  std::shared_ptr<MemoryGroup> counts = assay->add_group("counts");
  SparseStore() {
    counts->add("indices", array_node<int32_t>({0, 1, 1})).add("indptr", array_node<int32_t>({0, 1, 2, 3}));
    counts->add("data", array_node<double>({1, 2, 3}));
  }
  SparseMatrix matrix() { return std::get<SparseMatrix>(at({"assays", "A", "counts"}).content); }
};

BOOST_AUTO_TEST_CASE(dims_give_the_shape_and_the_place_gives_the_names) {
  SparseStore store;
  store.counts->set_attributes({{"dims", counts({2, 3})}});
  const SparseMatrix matrix = store.matrix();
  BOOST_TEST((matrix.rows == 2 && matrix.columns == 3 && !matrix.by_row && !matrix.error));
  BOOST_TEST(shown(*matrix.row_names) == (Texts{"f1", "f2"}));
  BOOST_TEST(shown(*matrix.column_names) == (Texts{"c1", "c2", "c3"}));
}

BOOST_AUTO_TEST_CASE(shape_of_anndata_is_cells_by_genes) {
  for (const char* name : {"h5sparse_shape", "shape"}) {
    SparseStore store;
    store.counts->set_attributes({{name, counts({3, 2})}});
    BOOST_TEST(store.matrix().rows == 2);
    BOOST_TEST(store.matrix().columns == 3);
  }
}

BOOST_AUTO_TEST_CASE(missing_shape_is_derived_from_the_parts) {
  SparseStore store;
  BOOST_TEST(store.matrix().rows == 2);
  BOOST_TEST(store.matrix().columns == 3);
  const auto unnamed = store.root->add_group("m");
  unnamed->add("indices", array_node<int32_t>({0, 6})).add("indptr", array_node<int32_t>({0, 2}));
  unnamed->add("data", array_node<double>({1, 2}));
  BOOST_TEST(std::get<SparseMatrix>(store.at({"m"}).content).rows == 7);
}

BOOST_AUTO_TEST_CASE(a_square_matrix_compressed_by_the_other_axis_is_refused) {
  SparseStore store;
  store.counts->set_attributes({{"dims", counts({3, 3})}, {"encoding-type", Json("csc_matrix")}});
  BOOST_TEST(store.matrix().error.has_value());
}

BOOST_AUTO_TEST_CASE(invalid_dims_damage_the_matrix_only) {
  for (const Json& dims : {Json(), counts({1}), texts({"2", "3"}), Json("2 3")}) {
    SparseStore store;
    store.counts->set_attributes({{"dims", dims}});
    BOOST_TEST(store.matrix().error.has_value());
    BOOST_TEST(values_of(store.at({"assays", "A", "counts", "data"})).count() == 3);
  }
}

BOOST_AUTO_TEST_CASE(dense_matrices_are_labelled_as_r_sees_them) {
  SeuratStore store;
  store.assay->add("data", array_node<double>({1, 2, 3, 4, 5, 6}, {3, 2}));
  const Node node = store.at({"assays", "A", "data"});
  const auto& labelled = std::get<LabelledArray>(node.content);
  BOOST_TEST(labelled.values->column_major());
  BOOST_TEST(shown(*labelled.row_names) == (Texts{"f1", "f2"}));
  BOOST_TEST(shown(*labelled.column_names) == (Texts{"c1", "c2", "c3"}));
}

BOOST_AUTO_TEST_CASE(dimensions_of_a_reduction_are_its_key_and_a_number) {
  SeuratStore store;
  const auto pca = store.root->add_group("reductions")->add_group("pca");
  pca->add("cell.embeddings", array_node<double>({1, 2, 3, 4, 5, 6}, {2, 3}));
  const auto columns = [&] {
    return std::get<LabelledArray>(store.at({"reductions", "pca", "cell.embeddings"}).content).column_names;
  };
  BOOST_TEST(!columns());
  pca->set_attributes({{"key", texts({"PC_"})}});
  BOOST_TEST(shown(*columns()) == (Texts{"PC_1", "PC_2"}));
}

BOOST_AUTO_TEST_CASE(groups_of_bpcells_stay_unchanged) {
  SeuratStore store;
  const auto matrix = store.root->add_group("m");
  matrix->set_attributes({{"version", Json("packed-uint-matrix-v2")}});
  matrix->add("shape", array_node<int32_t>({kNoInteger}));
  const Node node = store.at({"m"});
  BOOST_TEST((node.parts == matrix));
}

BOOST_AUTO_TEST_CASE(index_lists_the_contents_of_the_file) {
  SparseStore store;
  store.root->add_group("reductions")->add_group("pca")->add_array("cell.embeddings");
  store.root->add_group("graphs")->add_group("nn")->set_attributes({{"assay.used", texts({"A"})}});
  Store opened;
  describe(raw_root(store), opened);
  BOOST_TEST(opened.format == "h5Seurat");
  BOOST_TEST(opened.version == "4.1.3");
  BOOST_TEST_REQUIRE(opened.details.size() == 1);
  BOOST_TEST(
      to_json_text(opened.details[0].second) ==
      R"({"default.assay":"A","cells":3,"assays":{"A":{"default":true,"slots":["counts"],"features":2}},)"
      R"("reductions":{"pca":{"assay":null,"parts":["cell.embeddings"]}},"graphs":{"nn":{"assay":"A"}},"images":{}})");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::h5seurat
