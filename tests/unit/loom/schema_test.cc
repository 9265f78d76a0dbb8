#include "formats/schemas/loom/schema.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/elements/element_text.h"
#include "formats/schemas/loom/attribute_table.h"
#include "tests/support/memory_store.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs::loom {
namespace {

using Texts = std::vector<std::string>;

Node array_node(ArrayPtr array) {
  return Node{LabelledArray{std::move(array), nullptr, nullptr, {}, {}}};
}

template <class T>
Node number_node(const std::vector<T>& values, Shape shape) {
  return array_node(numbers(values, std::move(shape)));
}

Node broken_node() {
  return Node{damaged("no such heap")};
}

Texts shown(const ArrayPtr& array) {
  Texts all;
  if (!array) return {"none"};
  const Elements elements = read_all(*array);
  for (uint64_t i = 0; i < elements.count; ++i) append_plain(array->dtype(), elements, i, all.emplace_back());
  return all;
}

// Two genes, three cells.
struct File {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::shared_ptr<MemoryGroup> row_attrs, col_attrs;

  explicit File(Shape shape = {2, 3}) {
    root->add("matrix", number_node<float>(std::vector<float>(element_count(shape)), shape));
    row_attrs = root->add_group("row_attrs");
    col_attrs = root->add_group("col_attrs");
  }

  std::optional<Node> refined() {
    Node node;
    node.parts = root;
    return loom::refine(node, context);
  }
  Node at(const std::string& name) { return refined().value().parts->find(name).value(); }
  LabelledArray matrix() { return std::get<LabelledArray>(at("matrix").content); }
  Table table(const std::string& name) { return std::get<Table>(at(name).content); }
};

Texts names_of(const Table& table) {
  Texts names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

BOOST_AUTO_TEST_SUITE(loom_schema)

BOOST_AUTO_TEST_CASE(needs_a_matrix_of_two_dimensions_and_both_attribute_groups) {
  BOOST_TEST(File().refined().has_value());
  BOOST_TEST(!File(Shape{2, 3, 1}).refined().has_value());
  TestContext context;
  for (const std::string missing : {"matrix", "row_attrs", "col_attrs"}) {
    Node node;
    const auto root = std::make_shared<MemoryGroup>();
    if (missing != "matrix") root->add("matrix", number_node<float>({1}, {1, 1}));
    if (missing != "row_attrs") root->add_group("row_attrs");
    if (missing != "col_attrs") root->add_group("col_attrs");
    node.parts = root;
    BOOST_TEST(!loom::refine(node, context).has_value(), missing);
  }
}

// Otherwise the length of its sides might come from a wrong attribute.
BOOST_AUTO_TEST_CASE(temporarily_unreadable_matrix_decides_nothing) {
  TestContext context;
  const auto refined = [&](Error matrix_error, std::optional<Error> attribute_error) {
    Node node, matrix, attribute;
    const auto root = std::make_shared<MemoryGroup>();
    matrix.content = matrix_error;
    root->add("matrix", matrix);
    const auto row_attrs = root->add_group("row_attrs");
    if (attribute_error) {
      attribute.content = *attribute_error;
      row_attrs->add("Gene", attribute);
    }
    row_attrs->add_text("alpha", {"x", "y"});
    root->add_group("col_attrs");
    node.parts = root;
    return std::get<Table>(loom::refine(node, context)->parts->find("row_attrs").value().content).rows;
  };
  const Error lost = damaged("no such heap"), fault = unreadable("the disk fails");
  BOOST_TEST(refined(lost, {}) == 2u);
  BOOST_TEST(refined(lost, lost) == 2u);
  BOOST_TEST(message_of([&] { refined(fault, {}); }) == "the disk fails");
  BOOST_TEST(message_of([&] { refined(lost, fault); }) == "the disk fails");
}

BOOST_AUTO_TEST_CASE(names_are_those_of_common_tools_in_order) {
  File file;
  file.row_attrs->add_text("Accession", {"E1", "E2"}).add_text("Aardvark", {"a", "b"});
  file.col_attrs->add_text("Barcode", {"b1", "b2", "b3"});
  BOOST_TEST(shown(file.matrix().row_names) == (Texts{"E1", "E2"}));
  BOOST_TEST(shown(file.matrix().matrix->row_ids) == (Texts{"none"}));
  file.row_attrs->add_text("Gene", {"G1", "G2"}).add_text("var_names", {"v1", "v2"});
  file.col_attrs->add_text("obs_names", {"o1", "o2", "o3"}).add_text("Cell", {"c", "c", "c"});
  BOOST_TEST(shown(file.matrix().row_names) == (Texts{"G1", "G2"}));
  BOOST_TEST(shown(file.matrix().matrix->row_ids) == (Texts{"E1", "E2"}));
  BOOST_TEST(shown(file.matrix().column_names) == (Texts{"o1", "o2", "o3"}));
}

BOOST_AUTO_TEST_CASE(only_lists_of_text_of_the_right_length_are_names) {
  File file;
  file.row_attrs->add("Gene", number_node<int32_t>({1, 2}, {2}));
  file.row_attrs->add_text("alpha", {"1", "2", "3"}).add_text("beta", {"x", "y"});
  file.col_attrs->add("CellID", number_node<int32_t>({1, 2, 3}, {3}));
  BOOST_TEST(shown(file.matrix().row_names) == (Texts{"x", "y"}));
  BOOST_TEST(shown(file.matrix().column_names) == (Texts{"none"}));
}

BOOST_AUTO_TEST_CASE(unreadable_names_are_still_the_names) {
  File file;
  file.row_attrs->add("Gene", broken_node()).add_text("beta", {"x", "y"});
  BOOST_TEST(message_of([&] { file.matrix().row_names->check(); }) == "no such heap");
  BOOST_TEST(message_of([&] { file.matrix().matrix->row_names->check(); }) == "no such heap");
  BOOST_TEST(names_of(file.table("row_attrs")) == (Texts{"Gene", "beta"}));
}

BOOST_AUTO_TEST_CASE(references_are_decoded_for_the_tsv_alone) {
  File file;
  file.row_attrs->add_text("Gene", {"&#181;", "A&amp;B"});
  BOOST_TEST(shown(file.matrix().row_names) == (Texts{"&#181;", "A&amp;B"}));
  BOOST_TEST(shown(file.matrix().matrix->row_names) == (Texts{"µ", "A&amp;B"}));
}

BOOST_AUTO_TEST_CASE(a_layer_has_the_names_of_the_sides_it_fits) {
  File file;
  file.row_attrs->add_text("Gene", {"G1", "G2"});
  file.col_attrs->add_text("CellID", {"c1", "c2", "c3"});
  const auto layers = file.root->add_group("layers");
  layers->add("short", number_node<uint16_t>({1, 2, 3, 4}, {2, 2}));
  layers->add("flat", number_node<uint16_t>({1, 2}, {2}));
  const GroupPtr refined = file.at("layers").parts;
  const auto layer = std::get<LabelledArray>(refined->find("short").value().content);
  BOOST_TEST(shown(layer.row_names) == (Texts{"G1", "G2"}));
  BOOST_TEST(!layer.column_names);
  BOOST_TEST(layer.matrix.has_value());
  BOOST_TEST(!std::get<LabelledArray>(refined->find("flat").value().content).matrix.has_value());
}

BOOST_AUTO_TEST_CASE(attributes_of_two_dimensions_are_a_column_each) {
  File file;
  file.col_attrs->add("PCA", number_node<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2}));
  const Table table = file.table("col_attrs");
  const DType& type = table.columns.at(0).values->dtype();
  BOOST_TEST_REQUIRE((type.kind == Kind::compound));
  BOOST_TEST(type.fields.at(1).name == "2");
  const Elements rows = table.columns[0].values->read(range(1, 2));
  BOOST_TEST(rows.children.at(1).values<int32_t>()[0] == 4);
  BOOST_TEST(rows.children.at(1).values<int32_t>()[1] == 6);
}

BOOST_AUTO_TEST_CASE(mismatched_attributes_are_left_out_with_a_warning) {
  File file;
  file.row_attrs->add("cube", number_node<int32_t>({1, 2, 3, 4}, {2, 2, 1}))
      .add("scalar", number_node<int32_t>({1}, {}))
      .add("short", number_node<int32_t>({1}, {1}))
      .add("fits", number_node<int32_t>({1, 2}, {2}));
  file.row_attrs->add_group("group");
  BOOST_TEST(names_of(file.table("row_attrs")) == (Texts{"fits"}));
  for (const std::string name : {"cube", "scalar", "short", "group"})
    BOOST_TEST(file.context.warned("/row_attrs: " + name + " is left out of the table"), name);
}

BOOST_AUTO_TEST_CASE(no_attributes_are_a_table_without_columns) {
  File file;
  BOOST_TEST(file.table("col_attrs").rows == 3u);
  BOOST_TEST(file.table("col_attrs").columns.empty());
}

BOOST_AUTO_TEST_CASE(graphs_join_the_nodes_of_their_side) {
  File file;
  file.col_attrs->add_text("CellID", {"c1", "c2", "&#181;"});
  const auto knn = file.root->add_group("col_graphs")->add_group("KNN");
  knn->add("a", number_node<int64_t>({0}, {1}))
      .add("b", number_node<int64_t>({2}, {1}))
      .add("w", number_node<double>({0.5}, {1}));
  const auto graph = std::get<CoordinateMatrix>(file.at("col_graphs").parts->find("KNN").value().content);
  BOOST_TEST(graph.rows == 3u);
  BOOST_TEST(graph.columns == 3u);
  BOOST_TEST(shown(graph.row_names) == (Texts{"c1", "c2", "µ"}));
  BOOST_TEST(shown(graph.row) == (Texts{"0"}));
}

BOOST_AUTO_TEST_CASE(graph_without_a_list_is_a_plain_group) {
  File file;
  const auto knn = file.root->add_group("row_graphs")->add_group("KNN");
  knn->add("a", number_node<int64_t>({0}, {1})).add("b", number_node<int64_t>({1}, {1}));
  BOOST_TEST(
      std::holds_alternative<std::monostate>(file.at("row_graphs").parts->find("KNN").value().content));
}

BOOST_AUTO_TEST_CASE(info_lists_the_contents_of_a_loom) {
  File file;
  file.row_attrs->add_text("Gene", {"G1", "G2"});
  file.root->add_group("layers")->add("spliced", number_node<uint16_t>({}, {2, 3}));
  file.root->set_attributes({{"LOOM_SPEC_VERSION", Json("2.0.1")}});
  Store store;
  store.root.parts = file.root;
  loom::describe(store.root, store);
  BOOST_TEST(store.format == "loom");
  BOOST_TEST(store.version == "2.0.1");
  BOOST_TEST(to_json_text(store.details) ==
             R"({"loom":{"rows":2,"columns":3,"dtype":"float32","layers":["spliced"],)"
             R"("row_attrs":["Gene"],"col_attrs":[],"row_graphs":[],"col_graphs":[]}})");
  file.root->add_group("attrs")->add_text("LOOM_SPEC_VERSION", {"3.0.0"});
  loom::describe(store.root, store);
  BOOST_TEST(store.version == "3.0.0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::loom
