// Sums over groups of cells: pseudobulk/ in the tree.
#include <boost/test/unit_test.hpp>

#include "fs/filesystem.h"
#include "fs/tree/tree.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_tree/memory_anndata.h"

namespace plainfs {
namespace {

using Names = std::vector<std::string>;

// Four cells by two genes.
struct Fixture {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::optional<Tree> generated;
  Table obs{4, text_array({"c1", "c2", "c3", "c4"}), {}};
  ArrayPtr values = numbers<int32_t>({1, 2, 3, 4});

  Fixture() {
    obs.columns = {{"a+b", text_array({"x_y", "x", "x", "x_y"})},
                   {"c", text_array({"z", "y_z", "y_z", "z"})},
                   {"n", numbers<int32_t>({2, 1, 1, 10})}};
  }
  Tree& tree() {
    if (generated) return *generated;
    SparseMatrix x;  // of genes by cells, as AnnData's is shown; by cell
    x.rows = 2;
    x.columns = 4;
    x.value = values;
    x.index = numbers<int32_t>({0, 1, 1, 0});
    x.pointer = numbers<int32_t>({0, 2, 3, 3, 4});
    root->add("X", {x});
    root->add("obs", {obs});
    root->add("var", {Table{2, text_array({"g", "g"}), {{"gene_ids", text_array({"E1", "E2"})}}}});
    generated.emplace(memory_anndata(root, context), "", default_views(), context,
                      std::make_shared<Inodes>());
    return *generated;
  }
  std::string text(const std::string& path) { return whole_text(*tree().view(tree().find(path))); }
};

BOOST_FIXTURE_TEST_SUITE(pseudobulk, Fixture)

BOOST_AUTO_TEST_CASE(columns_with_few_levels_are_listed) {
  Names names;
  const ListingPtr listing = tree().list(tree().find("pseudobulk"));
  for (const Listing::Entry& entry : listing->entries()) names.push_back(entry.name);
  BOOST_TEST(names == (Names{"a+b.csv", "a+b.rds", "a+b.cells.csv", "c.csv", "c.rds", "c.cells.csv"}),
             boost::test_tools::per_element());
  for (const std::string none : {"d.csv", "n.txt", "c", "c+d.csv", "c+.csv", "c.cells.rds"})
    BOOST_CHECK_EXCEPTION(tree().find("pseudobulk/" + none), Error, mentions(none + " does not exist"));
}

BOOST_AUTO_TEST_CASE(counts_of_a_group_are_summed) {
  BOOST_TEST(text("pseudobulk/n.csv") == "\"\",1,2,10\nE1,0,1,4\nE2,3,2,0\n");
  BOOST_TEST(text("pseudobulk/n.cells.csv") == "\"\",cells\n1,2\n2,1\n10,1\n");
  BOOST_TEST(text("pseudobulk/c+n.cells.csv") == "\"\",cells\ny_z_1,2\nz_2,1\nz_10,1\n");
  BOOST_TEST(text("pseudobulk/n.design.csv") == "\"\",n,cells\n1,1,2\n2,2,1\n10,10,1\n");
  BOOST_TEST(text("pseudobulk/a+b.csv") == "\"\",x,x_y\nE1,0,5\nE2,3,2\n");
}

BOOST_AUTO_TEST_CASE(sums_of_other_values_than_counts_are_reported) {
  constexpr char kNotice[] =
      "/pseudobulk/: no matrix has counts (whole numbers from 0 on); these are sums of X, which DESeq2 and "
      "edgeR do not take";
  values = numbers<double>({1.5, -2, 3, 4});
  tree().list(tree().find("pseudobulk"));
  text("pseudobulk/n.cells.csv");
  BOOST_TEST(context.warnings().empty());
  BOOST_TEST(text("pseudobulk/n.csv") == "\"\",1,2,10\nE1,0,1.5,4\nE2,3,-2,0\n");
  text("pseudobulk/c.csv");
  BOOST_TEST(context.warnings() == Names{kNotice}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(sums_of_counts_are_not_reported) {
  text("pseudobulk/n.csv");
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(equal_headers_are_numbered) {
  // VIEWS 12 "Groups are those that a cell has": x with y_z, and x_y with z.
  BOOST_TEST(text("pseudobulk/a%2Bb+c.csv") == "\"\",x_y_z,x_y_z~2\nE1,0,5\nE2,3,2\n");
  BOOST_TEST(text("pseudobulk/c+n+c.design.csv") ==
             "\"\",c,n,cells\ny_z_1_y_z,y_z,1,2\nz_2_z,z,2,1\nz_10_z,z,10,1\n");
}

// VIEWS 12 "`A+B.design.csv` has the level of each column".
BOOST_AUTO_TEST_CASE(commas_join_columns_like_plus) {
  for (const std::string name : {"c{}n.csv", "c{}n.cells.csv", "c{}n.design.csv"}) {
    const size_t at = name.find("{}");
    std::string plus = name, comma = name;
    BOOST_TEST(text("pseudobulk/" + plus.replace(at, 2, "+")) ==
               text("pseudobulk/" + comma.replace(at, 2, ",")));
  }
}

BOOST_AUTO_TEST_CASE(unreadable_column_fails_alone) {
  obs.columns.push_back({"gone", std::make_shared<BrokenArray>(text_type(), damaged("a broken column"))});
  BOOST_CHECK_EXCEPTION(text("pseudobulk/gone.csv"), Error, mentions("a broken column"));
  BOOST_CHECK_EXCEPTION(text("pseudobulk/gone.cells.csv"), Error, mentions("a broken column"));
  BOOST_TEST(text("pseudobulk/c+n.design.csv") == "\"\",c,n,cells\ny_z_1,y_z,1,2\nz_2,z,2,1\nz_10,z,10,1\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
