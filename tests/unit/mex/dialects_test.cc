#include "formats/schemas/mex/dialects.h"

#include <boost/test/unit_test.hpp>

namespace plainfs::mex {
namespace {

std::vector<MatrixFiles> found(const std::vector<std::string>& names) {
  return matrices_in(names);
}

BOOST_AUTO_TEST_SUITE(mex_dialects)

BOOST_AUTO_TEST_CASE(each_writer_is_recognised_by_its_names) {
  const auto cell_ranger = found({"barcodes.tsv.gz", "features.tsv.gz", "matrix.mtx.gz"});
  BOOST_TEST_REQUIRE(cell_ranger.size() == 1U);
  BOOST_TEST(cell_ranger[0].prefix.empty());
  BOOST_TEST(cell_ranger[0].genes == "features.tsv.gz");
  BOOST_TEST(cell_ranger[0].are_genes_in_rows);
  BOOST_TEST(found({"barcodes.tsv", "genes.tsv", "matrix.mtx"})[0].genes == "genes.tsv");
  const auto kallisto = found({"cells_x_genes.barcodes.txt", "cells_x_genes.genes.names.txt",
                               "cells_x_genes.genes.txt", "cells_x_genes.mtx"});
  BOOST_TEST(kallisto[0].gene_names == "cells_x_genes.genes.names.txt");
  BOOST_TEST(!kallisto[0].are_genes_in_rows);
  BOOST_TEST(found({"quants_mat.mtx", "quants_mat_cols.txt", "quants_mat_rows.txt"})[0].cells ==
             "quants_mat_rows.txt");
  BOOST_TEST(found({"DGE.mtx", "all_genes.csv", "cell_metadata.csv"})[0].are_tables);
}

BOOST_AUTO_TEST_CASE(matrices_of_one_folder_are_layers) {
  const auto velocyto =
      found({"ambiguous.mtx", "barcodes.tsv", "features.tsv", "spliced.mtx", "unspliced.mtx"});
  BOOST_TEST_REQUIRE(velocyto.size() == 1U);
  BOOST_TEST_REQUIRE(velocyto[0].matrices.size() == 3U);
  BOOST_TEST(velocyto[0].matrices[0].layer == "spliced");
  BOOST_TEST(velocyto[0].matrices[1].file == "unspliced.mtx");
}

BOOST_AUTO_TEST_CASE(prefixes_end_in_a_separator) {
  const auto samples = found({"GSM1_S1_barcodes.tsv.gz", "GSM1_S1_features.tsv.gz", "GSM1_S1_matrix.mtx.gz",
                              "GSM2.barcodes.tsv", "GSM2.genes.tsv", "GSM2.matrix.mtx"});
  BOOST_TEST_REQUIRE(samples.size() == 2U);
  BOOST_TEST(samples[0].directory() == "GSM1_S1");
  BOOST_TEST(samples[1].directory() == "GSM2");
  BOOST_TEST(found({"mybarcodes.tsv", "myfeatures.tsv", "mymatrix.mtx"}).empty());
}

BOOST_AUTO_TEST_CASE(only_file_of_genes_belongs_to_all_matrices) {
  const auto samples =
      found({"GSE1_features.tsv.gz", "A_barcodes.tsv", "A_matrix.mtx", "B_barcodes.tsv", "B_matrix.mtx"});
  BOOST_TEST_REQUIRE(samples.size() == 2U);
  BOOST_TEST(samples[1].genes == "GSE1_features.tsv.gz");
  const std::vector<std::string> two{"X_genes.tsv", "Y_genes.tsv", "A_barcodes.tsv", "A_matrix.mtx"};
  BOOST_TEST(found(two)[0].genes.empty(), "the number of rows decides");
  BOOST_TEST(shared_genes(two).size() == 2U);
}

BOOST_AUTO_TEST_CASE(matrix_without_names_of_cells_is_no_store) {
  BOOST_TEST(found({"matrix.mtx", "features.tsv"}).empty());
  BOOST_TEST(found({"matrix.mtx"}).empty());
  BOOST_TEST(files_of("anything.mtx.gz", {}).writer == "MatrixMarket");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::mex
