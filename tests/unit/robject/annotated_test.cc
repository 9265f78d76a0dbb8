// The annotated matrices of R objects, as the files of other programs are made of them.
#include <boost/test/unit_test.hpp>

#include "formats/open_store.h"
#include "formats/schemas/annotated/annotated_matrices.h"
#include "tests/support/says.h"
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
    const AnnotatedMatrix made = assay_of(name, context);
    BOOST_TEST_CONTEXT(name) {
      BOOST_REQUIRE(std::holds_alternative<SparseMatrix>(made.x));
      BOOST_TEST(std::get<SparseMatrix>(made.x).rows == made.cells);
      BOOST_TEST(std::get<SparseMatrix>(made.x).columns == made.genes);
      if (name == std::string("seurat_v2")) continue;  // its counts have more genes than its data
      BOOST_REQUIRE(!made.layers.empty());
      BOOST_TEST(made.layers[0].name == "counts");
    }
  }
}

BOOST_AUTO_TEST_CASE(layers_of_some_of_the_cells_alone_are_no_matrix) {
  TestContext context;
  BOOST_CHECK_EXCEPTION(assay_of("seurat_v5_split", context), Error, says("no layer"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
