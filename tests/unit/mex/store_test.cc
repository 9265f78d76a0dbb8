#include "formats/schemas/mex/store.h"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "formats/core/model/elements/element_text.h"
#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs::mex {
namespace {

// A folder with files.
class Folder {
 public:
  Folder& with(const std::string& name, const std::string& content) {
    std::ofstream(directory_.path(name), std::ios::binary) << content;
    return *this;
  }
  std::string path(const std::string& name = {}) const {
    return name.empty() ? directory_.path() : directory_.path(name);
  }

 private:
  TemporaryDirectory directory_;
};

constexpr const char kText[] = "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 5\n3 2 7\n";
constexpr const char kGenes[] = "G1\tA\tGene Expression\nG2\tB\tGene Expression\nP1\tC\tPeaks\n";

// A folder as Cell Ranger writes it.
class Trio : public Folder {
 public:
  Trio() { with("matrix.mtx", kText).with("features.tsv", kGenes).with("barcodes.tsv", "AAA\nCCC\n"); }
};

std::string text_at(const ArrayPtr& array, uint64_t i) {
  const Elements one = array->read(range(i, 1));
  return std::string(one.text(0));
}

SparseMatrix matrix_of(const Store& store) {
  return std::get<SparseMatrix>(store.root.content);
}

BOOST_AUTO_TEST_SUITE(mex_store)

BOOST_AUTO_TEST_CASE(folder_file_and_prefix_are_recognised) {
  Trio folder;
  folder.with("S1_matrix.mtx", kText).with("S1_features.tsv", kGenes).with("S1_barcodes.tsv", "AAA\nCCC\n");
  BOOST_TEST(recognises(look_at(folder.path())));
  BOOST_TEST(recognises(look_at(folder.path("matrix.mtx"))));
  BOOST_TEST(recognises(look_at(folder.path("S1"))));
  BOOST_TEST(!recognises(look_at(folder.path("S2"))));
  BOOST_TEST(!recognises(look_at(folder.path("features.tsv"))));
  BOOST_TEST(!recognises(look_at(Folder().with("matrix.mtx", kText).path())));
}

BOOST_AUTO_TEST_CASE(matrix_has_the_names_of_the_files_beside_it) {
  TestContext context;
  const Trio folder;
  for (const std::string& place : {folder.path(), folder.path("matrix.mtx")}) {
    const Store store = open(look_at(place), context);
    const SparseMatrix matrix = matrix_of(store);
    BOOST_TEST(store.format.starts_with("10x matrix"));
    BOOST_TEST(matrix.rows == 3U);
    BOOST_TEST(!matrix.by_row);
    BOOST_TEST(text_at(matrix.row_ids, 2) == "P1");
    BOOST_TEST(text_at(matrix.row_names, 1) == "B");
    BOOST_TEST(text_at(matrix.column_names, 1) == "CCC");
    const std::optional<Node> features = store.root.parts->find("features");
    BOOST_TEST_REQUIRE(features.has_value());
    BOOST_TEST(std::get<Table>(features->content).columns[2].name == "feature_type");
  }
}

BOOST_AUTO_TEST_CASE(side_with_the_genes_is_the_one_that_fits) {
  TestContext context;
  Folder folder;
  folder.with("matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 5\n2 3 7\n")
      .with("features.tsv", kGenes)
      .with("barcodes.tsv", "AAA\nCCC\n");
  const SparseMatrix matrix = matrix_of(open(look_at(folder.path()), context));
  BOOST_TEST(matrix.rows == 3U);
  BOOST_TEST(matrix.columns == 2U);
  BOOST_TEST(matrix.row_names != nullptr);
}

BOOST_AUTO_TEST_CASE(names_that_fit_no_side_are_left_out_with_a_notice) {
  TestContext context;
  Trio folder;
  folder.with("barcodes.tsv", "AAA\nCCC\nGGG\nTTT\n");
  const SparseMatrix matrix = matrix_of(open(look_at(folder.path()), context));
  BOOST_TEST(matrix.column_names == nullptr);
  BOOST_TEST(matrix.row_names != nullptr);
  BOOST_TEST_REQUIRE(context.warnings().size() == 1U);
  BOOST_TEST(context.warnings()[0].find("barcodes.tsv") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(damaged_text_is_the_error_of_the_matrix) {
  TestContext context;
  Trio folder;
  folder.with("matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 5\n4 2 7\n");
  const SparseMatrix matrix = matrix_of(open(look_at(folder.path()), context));
  BOOST_TEST_REQUIRE(matrix.error.has_value());
  BOOST_TEST(std::string(matrix.error->what()).find("line 4: row 4 of 3") != std::string::npos);
  BOOST_TEST(text_at(matrix.row_names, 0) == "A");
}

BOOST_AUTO_TEST_CASE(layers_of_another_size_are_left_out_with_a_notice) {
  TestContext context;
  Folder folder;
  folder.with("spliced.mtx", kText)
      .with("unspliced.mtx", kText)
      .with("ambiguous.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 0\n")
      .with("features.tsv", kGenes)
      .with("barcodes.tsv", "AAA\nCCC\n");
  const Store store = open(look_at(folder.path()), context);
  BOOST_TEST(store.root.parts->find("layers")->parts->members().size() == 2U);
  BOOST_TEST_REQUIRE(context.warnings().size() == 1U);
  BOOST_TEST(context.warnings()[0].find("ambiguous.mtx: left out: 2 x 2") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_with_carriage_returns_and_quotes_are_read) {
  TestContext context;
  Folder folder;
  folder.with("DGE.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 1 5\n")
      .with("all_genes.csv", "gene_id,gene_name,genome\r\nG1,\"A,1\",hg38\r\nG2,B,hg38\r\nG3,C,hg38\r\n")
      .with("cell_metadata.csv", "bc_wells,sample\n01_01,s1\n01_02,s2\n");
  const SparseMatrix matrix = matrix_of(open(look_at(folder.path()), context));
  BOOST_TEST(text_at(matrix.row_names, 0) == "A,1");
  BOOST_TEST(text_at(matrix.row_ids, 2) == "G3");
  BOOST_TEST(text_at(matrix.column_names, 1) == "01_02");
}

BOOST_AUTO_TEST_CASE(table_of_the_cells_is_beside_the_matrix) {
  TestContext context;
  Folder folder;
  folder.with("DGE.mtx", "%%MatrixMarket matrix coordinate integer general\n2 1 1\n1 1 5\n")
      .with("all_genes.csv", "gene_id,gene_name,genome\nG1,A,hg38\n")
      .with("cell_metadata.csv", "bc_wells,sample,n\n01_01,\"s,1\",3\n01_02,s2,4\n");
  const Store store = open(look_at(folder.path()), context);
  const auto obs = std::get<Table>(store.root.parts->find("obs")->content);
  BOOST_TEST(obs.rows == 2U);
  BOOST_TEST(obs.columns.size() == 2U);
  BOOST_TEST(obs.columns[0].name == "sample");
  BOOST_TEST(text_at(obs.columns[0].values, 0) == "s,1");
}

BOOST_AUTO_TEST_CASE(names_decide_the_orientation_of_a_table) {
  TestContext context;
  Folder folder;
  folder.with("a.csv", ",AAACCCAAGAAACACT-1,AAACCCAAGAAACCAT-1\nCD4,1,0\n")
      .with("b.tsv", "\tCD4\tCD8\nAAACCCAAGAAACACT-1\t1\t0\n")
      .with("c.txt", "ENSG00000000003.14\tENSMUSG00000000001\ncell\t1\t0\n")
      .with("d.csv", ",x,y\nz,1,0\n")
      .with("e.csv", "name,kind\nx,y\n");
  const auto rows = [&](const char* name) {
    return matrix_of(open(look_at(folder.path(name)), context)).rows;
  };
  BOOST_TEST(rows("a.csv") == 1U);
  BOOST_TEST(rows("b.tsv") == 2U);
  BOOST_TEST(rows("c.txt") == 2U);
  BOOST_TEST(context.warnings().empty());
  BOOST_TEST(rows("d.csv") == 1U);
  BOOST_TEST(context.warned("genes are taken to be in the rows"));
  BOOST_TEST(!recognises(look_at(folder.path("e.csv"))));
}

BOOST_AUTO_TEST_CASE(option_decides_the_orientation) {
  Folder folder;
  folder.with("table.csv", ",AAACCCAAGAAACACT-1,AAACCCAAGAAACCAT-1\nCD4,1,0\n").with("plain.mtx", kText);
  for (const bool in_rows : {false, true}) {
    TestContext context;
    context.context.options.genes_in_rows = in_rows;
    BOOST_TEST(matrix_of(open(look_at(folder.path("table.csv")), context)).rows == (in_rows ? 1U : 2U));
    const SparseMatrix matrix = matrix_of(open(look_at(folder.path("plain.mtx")), context));
    BOOST_TEST(matrix.rows == (in_rows ? 3U : 2U));
    BOOST_TEST(matrix.by_row == !in_rows);
    BOOST_TEST(context.warnings().empty());
  }
}

BOOST_AUTO_TEST_CASE(option_is_stronger_than_the_numbers_of_names) {
  TestContext context;
  context.context.options.genes_in_rows = false;
  const Trio folder;
  const SparseMatrix matrix = matrix_of(open(look_at(folder.path()), context));
  BOOST_TEST(matrix.rows == 2U);
  BOOST_TEST(matrix.row_names == nullptr);
  BOOST_TEST(context.warnings().size() == 2U);
}

BOOST_AUTO_TEST_CASE(format_names_the_program_that_the_text_states) {
  TestContext context;
  Trio folder;
  const auto format = [&](const std::string& software) {
    Trio own;
    own.with("matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n%metadata_json: " + software +
                               "\n3 2 1\n1 1 5\n");
    return open(look_at(own.path()), context).format;
  };
  BOOST_TEST(format(R"({"software_version": "cellranger-7.1.0", "format_version": 2})") ==
             "10x matrix folder of Cell Ranger 7");
  BOOST_TEST(format(R"({"software_version": "spaceranger-2.0.1"})") == "10x matrix folder of Space Ranger 2");
  BOOST_TEST(format("{") == "10x matrix folder");
  const Store store = open(look_at(folder.path()), context);
  BOOST_TEST(*store.details.at(0).second.text() == "3 genes × 2 cells");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::mex
