// The annotated matrices of R objects, the source of the files for other programs.
#include <boost/test/unit_test.hpp>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/parts.h"
#include "formats/core/frames/common_type.h"
#include "formats/open_store.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;

AnnotatedMatrix assay_of(const std::string& name, Context& context) {
  const Store store = open_store(PLAINFS_TEST_DATA "/r-objects/" + name + "/store.rds", context);
  const std::string path[] = {"assays"};
  const std::vector<FoundAnnotatedMatrix> found =
      annotated_matrices(*find_path(*store.root.parts, path), context);
  BOOST_REQUIRE(!found.empty());
  BOOST_TEST(found[0].name == "RNA");
  return found[0].make();
}

BOOST_AUTO_TEST_SUITE(annotated)

BOOST_AUTO_TEST_CASE(an_assay_of_any_version_has_its_data_and_counts) {
  for (const char* name : {"seurat_v2", "seurat_v4", "seurat_v5", "seurat_v5_bpcells"}) {
    TestContext context;
    const AnnotatedMatrix generated = assay_of(name, context);
    BOOST_TEST_CONTEXT(name) {
      BOOST_REQUIRE(std::holds_alternative<SparseMatrix>(generated.x));
      BOOST_TEST(std::get<SparseMatrix>(generated.x).rows == generated.cells);
      BOOST_TEST(std::get<SparseMatrix>(generated.x).columns == generated.genes);
      BOOST_REQUIRE(!generated.layers.empty());
      BOOST_TEST(generated.layers[0].name == "counts");
    }
  }
}

std::vector<double> numbers_of(const ArrayPtr& array) {
  const ArrayPtr reals = with_type(array, number_type(Kind::real, 8));
  const Elements elements = read_all(*reals);
  return {elements.values<double>().begin(), elements.values<double>().end()};
}

BOOST_AUTO_TEST_CASE(rows_of_a_table_of_features_are_found_by_name) {
  const ArrayPtr features = text_array({"a", "b", "c"});
  const auto columns = [&](const std::vector<std::string>& names, const std::vector<double>& values) {
    Table table;
    table.rows = names.size();
    table.row_names = text_array(names);
    table.columns.push_back({"x", numbers(values)});
    return plainfs::annotated::feature_columns(table, features, "/t");
  };
  const Elements sorted = read_all(*columns({"c", "a", "b"}, {3, 1, 2})[0].values);
  BOOST_TEST(sorted.values<double>()[0] == 1);
  BOOST_TEST(sorted.values<double>()[2] == 3);
  BOOST_TEST(!sorted.is_missing(0));
  const Elements some = read_all(*columns({"c", "a"}, {3, 1})[0].values);
  BOOST_TEST(some.values<double>()[2] == 3);
  BOOST_TEST(some.is_missing(1));
  BOOST_TEST(!some.is_missing(2));
  const Elements renamed = read_all(*columns({"A", "B", "C"}, {1, 2, 3})[0].values);
  BOOST_TEST(renamed.values<double>()[1] == 2);
  BOOST_CHECK_EXCEPTION(columns({"c", "d"}, {3, 4}), Error,
                        mentions("/t has 2 rows, expected 3, one for each feature"));
}

BOOST_AUTO_TEST_CASE(split_layers_are_joined) {
  TestContext context;
  const AnnotatedMatrix joined = assay_of("seurat_v5_split", context), whole = assay_of("seurat_v5", context);
  BOOST_TEST(joined.cells == whole.cells);
  for (const ArrayPtr SparseMatrix::*part :
       {&SparseMatrix::pointer, &SparseMatrix::index, &SparseMatrix::value})
    BOOST_TEST(numbers_of(std::get<SparseMatrix>(joined.x).*part) ==
                   numbers_of(std::get<SparseMatrix>(whole.x).*part),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(features_missing_from_a_layer_are_zero) {
  TestContext context;
  const AnnotatedMatrix generated = assay_of("seurat_v5_partial", context);
  BOOST_TEST(generated.genes == 30U);
  BOOST_TEST(std::get<SparseMatrix>(generated.x).rows == generated.cells);
}

// Returns the matrix at a path of the store of that name.
AnnotatedMatrix experiment_at(const std::string& name, const std::vector<std::string>& path,
                              Context& context) {
  const Store store = open_store(PLAINFS_TEST_DATA "/r-objects/" + name + "/store.rds", context);
  const std::optional<Node> node = path.empty() ? store.root : find_path(*store.root.parts, path);
  BOOST_REQUIRE(node);
  const std::vector<FoundAnnotatedMatrix> found = annotated_matrices(*node, context);
  BOOST_REQUIRE(found.size() == 1);
  BOOST_TEST(found[0].name == "anndata");
  return found[0].make();
}

std::vector<std::string> names_of(const std::vector<AnnotatedPart>& parts) {
  std::vector<std::string> names;
  for (const AnnotatedPart& part : parts) names.push_back(part.name);
  return names;
}

std::string first_name(const Table& table) {
  BOOST_REQUIRE(table.row_names);
  return std::string(read_all(*table.row_names).text(0));
}

BOOST_AUTO_TEST_CASE(first_assay_is_x_and_the_others_are_layers) {
  for (const char* name : {"sce", "sce_134"}) {
    TestContext context;
    const AnnotatedMatrix generated = experiment_at(name, {}, context);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(generated.x_name == "counts");
      BOOST_REQUIRE(std::holds_alternative<SparseMatrix>(generated.x));
      BOOST_TEST(std::get<SparseMatrix>(generated.x).rows == generated.cells);
      BOOST_TEST(names_of(generated.layers) == (std::vector<std::string>{"logcounts", "dense"}),
                 boost::test_tools::per_element());
      BOOST_TEST(names_of(generated.obsm) == (std::vector<std::string>{"X_pca", "X_tsne"}),
                 boost::test_tools::per_element());
      BOOST_TEST(generated.obs.rows == generated.cells);
      BOOST_TEST(generated.var.columns.size() == 7);
      BOOST_TEST(generated.obs.columns.size() >= 6);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_alternative_experiment_has_the_cells_of_the_one_it_is_in) {
  TestContext context;
  const AnnotatedMatrix whole = experiment_at("sce", {}, context);
  const AnnotatedMatrix generated = experiment_at("sce", {"alternative_experiments", "ADT"}, context);
  BOOST_TEST(generated.cells == whole.cells);
  BOOST_TEST(first_name(generated.obs) == first_name(whole.obs));
}

BOOST_AUTO_TEST_CASE(an_experiment_in_a_list_is_one) {
  TestContext context;
  BOOST_TEST(experiment_at("bioc_list", {"se"}, context).genes > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
