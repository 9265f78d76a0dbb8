#include <boost/test/unit_test.hpp>

#include "fs/views/view.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

// Returns the files except those in other programs' formats, which have separate tests.
std::vector<ViewEntry> all_files(Content content, Context& context) {
  Node node;
  node.content = std::move(content);
  std::vector<ViewEntry> files;
  for (const View& view : views())
    if (!view.shows_again || view.option == "bin") view.offer(node, context, files);
  return files;
}

// Returns the names of the files of a node, those in its directory after a slash.
std::string names_of(Content content) {
  TestContext context;
  std::string names;
  for (const ViewEntry& file : all_files(std::move(content), context))
    names += (file.is_beside ? " " : " /") + file.name;
  return names;
}

SparseMatrix matrix(ArrayPtr row_names, ArrayPtr column_names) {
  SparseMatrix matrix;
  matrix.rows = 2;
  matrix.columns = 0;
  matrix.value = numbers<uint32_t>({});
  matrix.index = numbers<uint32_t>({});
  matrix.pointer = numbers<uint32_t>({0});
  matrix.row_names = std::move(row_names);
  matrix.column_names = std::move(column_names);
  return matrix;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(views_table)

BOOST_AUTO_TEST_CASE(each_content_offers_its_files) {
  BOOST_TEST(names_of(std::monostate()) == "");
  BOOST_TEST(names_of(LabelledArray{numbers<int>({1}), nullptr, nullptr}) == " .csv .npy .bin");
  BOOST_TEST(names_of(LabelledArray{text_array({"a"}), nullptr, nullptr}) == " .csv");
  BOOST_TEST(names_of(Table{}) == " .csv");
  BOOST_TEST(names_of(Error(Errc::damaged, "x")) == " .csv");
  BOOST_TEST(names_of(Fragments{}) == " /fragments.tsv");
  BOOST_TEST(names_of(matrix(nullptr, nullptr)) == " /matrix.csv /matrix.mtx");
  BOOST_TEST(names_of(matrix(text_array({"a", "b"}), text_array({}))) ==
             " /matrix.csv /matrix.mtx /genes.tsv /barcodes.tsv");
}

BOOST_AUTO_TEST_CASE(ranges_and_sizes_belong_to_the_view_tsv) {
  BOOST_TEST(names_of(GenomicRanges{}) == " /ranges.bed");
  BOOST_TEST(names_of(SequenceLengths{}) == " /chrom.sizes");
  TestContext context;
  std::vector<ViewEntry> files;
  for (const View& view : views())
    if (view.option == "tsv") view.offer(Node{.content = GenomicRanges{}}, context, files);
  BOOST_TEST(files.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_dense_matrix_has_the_files_of_a_sparse_one_too) {
  const ArrayPtr genes = text_array({"g1", "g2", "g3"}), ids = text_array({"E1", "E2", "E3"});
  LabelledArray array{numbers<int>({0, 1, 2, 0, 0, 3}, {2, 3}), nullptr, nullptr};
  array.matrix = MatrixFiles{true, ids, genes, text_array({"c1", "c2"})};
  BOOST_TEST(names_of(array) == " .csv .npy .bin /matrix.mtx /genes.tsv /barcodes.tsv");
  TestContext context;
  const auto files = all_files(array, context);
  BOOST_TEST(whole_text(*files[3].open()) ==
             "%%MatrixMarket matrix coordinate integer general\n3 2 3\n2 1 1\n3 1 2\n3 2 3\n");
  BOOST_TEST(whole_text(*files[4].open()) == "E1\tg1\nE2\tg2\nE3\tg3\n");
  BOOST_TEST(whole_text(*files[5].open()) == "c1\nc2\n");
}

BOOST_AUTO_TEST_CASE(csv_shows_labels_and_npy_the_values) {
  LabelledArray array{numbers<int8_t>({1, 0}), nullptr, nullptr, text_array({"b", "a"})};
  TestContext context;
  const auto files = all_files(array, context);
  BOOST_REQUIRE_EQUAL(files.size(), 3u);
  BOOST_TEST(whole_text(*files[0].open()) == "b\na\n");
  BOOST_TEST(whole_text(*files[1].open()).ends_with(std::string_view("\1\0", 2)));
}

BOOST_AUTO_TEST_CASE(null_content_has_no_file) {
  BOOST_TEST(names_of(Nothing{}) == "");
}

BOOST_AUTO_TEST_CASE(name_lists_of_another_length_are_not_used) {
  TestContext context;
  BOOST_TEST(all_files(matrix(text_array({"a"}), nullptr), context).size() == 2u);
  BOOST_TEST(context.warned("1 names for 2"));
  BOOST_TEST(context.warnings().size() == 1u);
  TestContext quiet;
  BOOST_TEST(all_files(matrix(text_array({}), nullptr), quiet).size() == 2u);
  BOOST_TEST(quiet.warnings().empty());
}

BOOST_AUTO_TEST_CASE(damaged_name_lists_are_listed_and_fail) {
  TestContext context;
  const auto broken = std::make_shared<BrokenArray>(text_type(), damaged("cut short"));
  const auto files = all_files(matrix(broken, nullptr), context);
  BOOST_REQUIRE_EQUAL(files.size(), 3u);
  BOOST_TEST(files[2].name == "genes.tsv");
  for (const size_t i : {0, 2}) BOOST_TEST(message_of([&] { files[i].open()->size(); }) == "cut short");
}

BOOST_AUTO_TEST_CASE(an_error_is_listed_and_fails) {
  TestContext context;
  const auto files = all_files(unsupported("no such dtype"), context);
  const auto file = files[0].open();
  BOOST_TEST(message_of([&] { file->size(); }) == "no such dtype");
  BOOST_TEST(message_of([&] { file->read(0, 1); }) == "no such dtype");
}

BOOST_AUTO_TEST_CASE(an_array_of_compounds_is_a_table) {
  TestContext context;
  const DType type = packed_compound_type({{"a", type_of<int8_t>(), 0}, {"b", type_of<int8_t>(), 0}});
  const auto files = all_files(
      LabelledArray{std::make_shared<MemoryArray>(type, Shape{2}, zero_elements(type, 2)), nullptr, nullptr},
      context);
  BOOST_TEST(whole_text(*files[0].open()) == "a,b\n0,0\n0,0\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
