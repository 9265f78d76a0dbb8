#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/support/view_text.h"
#include "tests/unit/tenx/tenx_store.h"

namespace plainfs::tenx {
namespace {

// A file of layout 2.
struct File {
  TestContext context;
  std::shared_ptr<MemoryGroup> matrix = std::make_shared<MemoryGroup>("/matrix");
  std::shared_ptr<MemoryGroup> features = std::make_shared<MemoryGroup>("/matrix/features");

  explicit File(const std::string& without = "") {
    add_counts(*matrix, without);
    if (without != "features") matrix->add("features", {{}, features, {}, {}});
    if (without != "id") features->add_text("id", {"E1", "E2", "E3"});
    features->add_text("name", {"G1", "&#181;", "G3"});
  }

  std::optional<Node> refined() {
    Node node;
    node.parts = matrix;
    return tenx::refine(node, context);
  }
  SparseMatrix counts() { return std::get<SparseMatrix>(refined().value().content); }
  Node feature_node() { return refined().value().parts->find("features").value(); }
  Table table() { return std::get<Table>(feature_node().content); }
};

// Returns counts with real numbers in place of integers, as rhdf5 writes R's.
SparseMatrix counts_of_reals(const std::vector<double>& indices, const std::vector<double>& shape) {
  TestContext context;
  const auto matrix = std::make_shared<MemoryGroup>("/matrix");
  matrix->add("data", number_node<double>({5, 7}))
      .add("indices", number_node(indices))
      .add("indptr", number_node<double>({0, 1, 2}))
      .add("shape", number_node(shape))
      .add_text("barcodes", {"AAA-1", "CCC-1"});
  matrix->add_group("features")->add_text("id", {"E1", "E2", "E3"});
  Node node;
  node.parts = matrix;
  return std::get<SparseMatrix>(tenx::refine(node, context).value().content);
}

BOOST_AUTO_TEST_SUITE(tenx_matrix)

BOOST_AUTO_TEST_CASE(layout_2_is_features_by_barcodes) {
  File file;
  const SparseMatrix counts = file.counts();
  BOOST_TEST(counts.rows == 3u);
  BOOST_TEST(counts.columns == 2u);
  BOOST_TEST(!counts.by_row);
  BOOST_TEST(!counts.error.has_value());
  BOOST_TEST(shown(*counts.row_ids) == (Texts{"E1", "E2", "E3"}));
  BOOST_TEST(shown(*counts.row_names) == (Texts{"G1", "µ", "G3"}));
  BOOST_TEST(shown(*counts.column_names) == (Texts{"AAA-1", "CCC-1"}));
}

BOOST_AUTO_TEST_CASE(layout_1_keeps_its_lists_beside_the_counts) {
  TestContext context;
  const auto genome = std::make_shared<MemoryGroup>("/hg19");
  add_counts(*genome);
  genome->add_text("genes", {"E1", "E2", "E3"}).add_text("gene_names", {"G1", "G2", "G3"});
  Node node;
  node.parts = genome;
  const auto counts = std::get<SparseMatrix>(tenx::refine(node, context).value().content);
  BOOST_TEST(shown(*counts.row_ids)[2] == "E3");
  BOOST_TEST(shown(*counts.row_names)[2] == "G3");
}

BOOST_AUTO_TEST_CASE(group_without_a_part_is_no_matrix) {
  for (const std::string part : {"data", "indices", "indptr", "shape", "barcodes", "features", "id"}) {
    File file(part);
    BOOST_TEST(!file.refined().has_value(), part);
  }
}

BOOST_AUTO_TEST_CASE(part_of_another_kind_is_ignored) {
  File file("indices");
  file.matrix->add_text("indices", {"0", "2"});
  BOOST_TEST(!file.refined().has_value());
  File other("barcodes");
  other.matrix->add_array("barcodes");
  BOOST_TEST(!other.refined().has_value());
}

BOOST_AUTO_TEST_CASE(real_numbers_are_integers_of_a_matrix) {
  const SparseMatrix counts = counts_of_reals({0, 2}, {3, 2});
  BOOST_TEST(!counts.error.has_value());
  BOOST_TEST(counts.rows == 3u);
  BOOST_TEST(counts.columns == 2u);
  BOOST_TEST(counts.index->dtype().name() == "int64");
  BOOST_TEST(shown(*counts.index) == (Texts{"0", "2"}));
  BOOST_TEST(shown(*counts.pointer) == (Texts{"0", "1", "2"}));
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {0.5, -1.0, 0x1p54, infinite, std::nan("")}) {
    const SparseMatrix damaged = counts_of_reals({0, wrong}, {3, wrong});
    BOOST_TEST_REQUIRE(damaged.error.has_value());
    BOOST_TEST(std::string(damaged.error->what()).starts_with("shape has the number "));
    BOOST_TEST(message_of([&] { shown(*damaged.index); }).starts_with("indices has the number "));
  }
}

BOOST_AUTO_TEST_CASE(unreadable_part_fails_its_users) {
  File file("data");
  file.matrix->add("data", broken_node("no such heap"));
  const SparseMatrix counts = file.counts();
  BOOST_TEST(message_of([&] { counts.value->check(); }) == "no such heap");
  BOOST_TEST(shown(*counts.column_names).size() == 2u);
}

BOOST_AUTO_TEST_CASE(invalid_shape_fails_the_matrix) {
  for (const auto& [shape, words] : {std::pair(std::vector<int32_t>{3}, "shape has 1 numbers, expected 2"),
                                     {{3, -2}, "shape has a negative length"}}) {
    File file("shape");
    file.matrix->add("shape", number_node(shape));
    const SparseMatrix counts = file.counts();
    BOOST_TEST_REQUIRE(counts.error.has_value());
    BOOST_TEST(counts.error->what() == words);
    BOOST_TEST(counts.rows == 3u);
    BOOST_TEST(counts.columns == 2u);
  }
}

BOOST_AUTO_TEST_CASE(tags_follow_the_three_and_other_lists_follow_by_name) {
  File file;
  file.features->add_text("_all_tag_keys", {"read", "genome", "name"})
      .add_text("feature_type", {"a", "a", "b"})
      .add_text("genome", {"g", "g", "g"})
      .add_text("aardvark", {"1", "2", "3"})
      .add_text("of_another_length", {"1"})
      .add_text("read", {"R2", "", ""});
  file.features->add_group("target_sets");
  BOOST_TEST(names_of(file.table()) == (Texts{"id", "name", "feature_type", "read", "genome", "aardvark"}));
  BOOST_TEST(file.table().rows == 3u);
  BOOST_TEST(shown(*file.table().columns[1].values)[1] == "&#181;");  // in its stored form
  BOOST_TEST(file.context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(a_tag_without_data_is_left_out_with_a_warning) {
  File file;
  file.features->add_text("_all_tag_keys", {"genome"});
  BOOST_TEST(names_of(file.table()) == (Texts{"id", "name"}));
  BOOST_TEST(file.context.warned("/matrix/features: genome is left out of the table: it has no data"));
}

BOOST_AUTO_TEST_CASE(unreadable_tags_fail_the_table_alone) {
  File file;
  file.features->add("_all_tag_keys", broken_node("no such heap"));
  const Node node = file.feature_node();
  BOOST_TEST_REQUIRE(std::holds_alternative<Error>(node.content));
  BOOST_TEST(std::get<Error>(node.content).what() == "/matrix/features: no such heap");
  BOOST_TEST(node.parts != nullptr);
  BOOST_TEST(!file.counts().error.has_value());
}

BOOST_AUTO_TEST_CASE(unopenable_column_stays_in_the_table) {
  File file;
  file.features->add("zeta", broken_node("no such heap"));
  BOOST_TEST(names_of(file.table()) == (Texts{"id", "name", "zeta"}));
  BOOST_TEST(message_of([&] { file.table().columns[2].values->check(); }) == "no such heap");
}

BOOST_AUTO_TEST_CASE(info_counts_the_contents_of_the_store) {
  File file;
  const auto root = std::make_shared<MemoryGroup>();
  root->add("matrix", {{}, file.matrix, {}, {}}).add_array("other");
  Store store;
  store.root.parts = root;
  tenx::describe(store.root, store);
  BOOST_TEST(store.format == "10x Genomics matrix");
  BOOST_TEST(store.version == "layout 2");
  BOOST_TEST(
      to_json_text(store.details) ==
      R"({"10x":{"matrices":{"matrix":{"layout":2,"features":3,"barcodes":2,"nonzeros":2,"dtype":"int32"}}}})");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::tenx
