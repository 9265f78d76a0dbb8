// The Zarr stores of a Xenium run.
#include "formats/schemas/tenx/xenium.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/tenx/tenx_store.h"

namespace plainfs::tenx {
namespace {

Json json_list(const Texts& texts) {
  return Json(Json::List(texts.begin(), texts.end()));
}

// Two features and three cells: A is 4 0 1, B 0 2 0.
struct Run {
  TestContext context;
  std::shared_ptr<MemoryGroup> counts = std::make_shared<MemoryGroup>("/cell_features");
  Attributes attributes{{"feature_keys", json_list({"A", "B"})},
                        {"feature_ids", json_list({"ENSG1", "ENSG2"})},
                        {"feature_types", json_list({"gene", "negative_control_probe"})},
                        {"number_features", Json::of(uint64_t{2})},
                        {"number_cells", Json::of(uint64_t{3})}};

  explicit Run(const std::string& without = "") {
    const auto add = [&](const std::string& name, const std::vector<uint32_t>& values) {
      if (name != without) counts->add(name, number_node(values));
    };
    add("data", {4, 1, 2});
    add("indices", {0, 2, 1});
    add("indptr", {0, 2, 3});
    if (without != "cell_id") add_ids({1, 1, 1437536272, 1, 1437536273, 2}, {3, 2});
  }
  void add_ids(const std::vector<uint32_t>& ids, Shape shape) {
    Node node;
    node.content = LabelledArray{numbers(ids, std::move(shape)), nullptr, nullptr, {}, {}};
    counts->add("cell_id", std::move(node));
  }
  std::optional<Node> refined() {
    counts->set_attributes(attributes);
    Node node;
    node.parts = counts;
    return tenx::refine(node, context);
  }
  SparseMatrix matrix() { return std::get<SparseMatrix>(refined().value().content); }
};

BOOST_AUTO_TEST_SUITE(tenx_xenium)

BOOST_AUTO_TEST_CASE(counts_of_xenium_are_features_by_cells) {
  Run run;
  const SparseMatrix matrix = run.matrix();
  BOOST_TEST(matrix.rows == 2u);
  BOOST_TEST(matrix.columns == 3u);
  BOOST_TEST(matrix.by_row);
  BOOST_TEST(shown(*matrix.row_ids) == (Texts{"ENSG1", "ENSG2"}));
  BOOST_TEST(shown(*matrix.row_names) == (Texts{"A", "B"}));
  BOOST_TEST(shown(*matrix.column_names) == (Texts{"aaaaaaab-1", "ffkpbaba-1", "ffkpbabb-2"}));
  const Table features = std::get<Table>(run.refined().value().parts->find("features").value().content);
  BOOST_TEST(names_of(features) == (Texts{"id", "name", "feature_type"}));
  BOOST_TEST(shown(*features.columns[2].values) == (Texts{"gene", "negative_control_probe"}));
  BOOST_TEST(run.context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(ids_of_early_xenium_are_numbers) {
  Run run("cell_id");
  run.add_ids({7, 8, 4294967295}, {3});
  BOOST_TEST(shown(*run.matrix().column_names) == (Texts{"7", "8", "4294967295"}));
}

BOOST_AUTO_TEST_CASE(group_without_a_part_of_xenium_stays_unchanged) {
  for (const std::string part : {"data", "indices", "indptr", "cell_id"})
    BOOST_TEST(!Run(part).refined().has_value());
  Run bare;
  bare.attributes.clear();
  BOOST_TEST(!bare.refined().has_value());
}

BOOST_AUTO_TEST_CASE(names_not_matching_the_counts_are_not_used) {
  Run run;
  run.attributes[1].set_value(json_list({"ENSG1"}));
  run.attributes[4].set_value(Json::of(uint64_t{4}));
  const SparseMatrix matrix = run.matrix();
  BOOST_TEST(!matrix.row_ids);
  BOOST_TEST(!matrix.column_names);
  BOOST_TEST(matrix.columns == 4u);
  BOOST_TEST(run.context.warned("1 feature_ids for 2 features are not used"));
  BOOST_TEST(run.context.warned("3 ids for 4 cells are not used"));
}

BOOST_AUTO_TEST_CASE(the_summary_of_cells_has_names_for_both_sides) {
  TestContext context;
  const auto cells = std::make_shared<MemoryGroup>("/");
  cells->set_attributes({{"major_version", Json::of(uint64_t{5})}});
  Node ids, summary;
  ids.content = LabelledArray{numbers<uint32_t>({1, 1, 2, 1}, {2, 2}), nullptr, nullptr, {}, {}};
  summary.content =
      LabelledArray{std::make_shared<MemoryArray>(
                        number_type(Kind::real, 8), Shape{2, 2}, elements_of<double>({1, 2, 3, 4}),
                        Attributes{{"column_names", json_list({"cell_centroid_x", "cell_area"})}}),
                    nullptr,
                    nullptr,
                    {},
                    {}};
  cells->add("cell_id", ids).add("cell_summary", summary);
  Node node;
  node.parts = cells;
  const Node refined = tenx::refine(node, context).value();
  const Node shown_summary = refined.parts->find("cell_summary").value();
  const auto& array = std::get<LabelledArray>(shown_summary.content);
  BOOST_TEST(shown(*array.row_names) == (Texts{"aaaaaaab-1", "aaaaaaac-1"}));
  BOOST_TEST(shown(*array.column_names) == (Texts{"cell_centroid_x", "cell_area"}));
  Store store;
  store.format = "Zarr v2";
  store.root.parts = cells;
  tenx::describe(store.root, store);
  BOOST_TEST(store.format == "Xenium cells");
  BOOST_TEST(store.version == "5");
}

// A group that knows its parent.
class Inside : public MemoryGroup {
 public:
  Inside(GroupPtr outer, const std::string& name)
      : MemoryGroup((outer->path() == "/" ? "" : outer->path()) + "/" + name), outer_(std::move(outer)) {}
  GroupPtr parent() const override { return outer_; }

 private:
  const GroupPtr outer_;
};

// Two molecules of a square, with the genes B and A.
struct Square {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>("/");
  std::shared_ptr<MemoryGroup> square;

  explicit Square(const std::string& folder = "grids", const std::vector<uint32_t>& genes = {1, 0}) {
    root->set_attributes({{"gene_names", json_list({"A", "B"})}, {"major_version", Json::of(uint64_t{4})}});
    const auto level = std::make_shared<Inside>(std::make_shared<Inside>(root, folder), "0");
    square = std::make_shared<Inside>(level, "0,1");
    Node location, qualities;
    location.content =
        LabelledArray{numbers(std::vector<uint32_t>{1, 2, 3, 4, 5, 6}, {2, 3}), nullptr, nullptr};
    square->add("location", location);
    square->add("gene_identity", number_node(genes));
    square->add("quality_score", number_node<uint32_t>({40, 20}));
  }
  std::optional<Node> refined() {
    Node node;
    node.parts = square;
    return tenx::refine(node, context);
  }
};

BOOST_AUTO_TEST_CASE(a_square_of_molecules_is_a_table) {
  Square generated;
  const Table table = std::get<Table>(generated.refined().value().content);
  BOOST_TEST(names_of(table) == (Texts{"x_location", "y_location", "z_location", "feature_name", "qv"}));
  BOOST_TEST(shown(*table.columns[1].values) == (Texts{"2", "5"}));
  BOOST_TEST(shown(*table.columns[3].values) == (Texts{"B", "A"}));
  BOOST_TEST(shown(*table.columns[4].values) == (Texts{"40", "20"}));
}

BOOST_AUTO_TEST_CASE(misplaced_or_mismatched_molecules_are_no_table) {
  BOOST_TEST(!Square("other").refined().has_value());
  BOOST_TEST(!Square("grids", {1, 0, 1}).refined().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::tenx
