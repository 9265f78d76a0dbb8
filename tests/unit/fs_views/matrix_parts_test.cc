#include <boost/test/unit_test.hpp>
#include <sstream>

#include "fs/views/view.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

// Genes A, B, A with ids; by column, in chunks of one entry.
SparseMatrix small_matrix(Context& context) {
  SparseMatrix matrix;
  matrix.rows = 3;
  matrix.columns = 2;
  matrix.value = std::make_shared<ChunkedCopy>(context, numbers<uint32_t>({10, 7, 200}), Shape{1});
  matrix.index = std::make_shared<ChunkedCopy>(context, numbers<uint32_t>({0, 2, 1}), Shape{1});
  matrix.pointer = numbers<uint32_t>({0, 2, 3});
  matrix.row_names = text_array({"A", "B", "A"});
  matrix.row_ids = text_array({"E1", "E2", "E3"});
  matrix.column_names = text_array({"c,1", "c2"});
  return matrix;
}

constexpr uint64_t kGenes = 200, kCells = 30;

// Returns a matrix of many genes.
SparseMatrix wide_matrix(Context& context) {
  std::vector<uint32_t> values, index;
  std::vector<uint64_t> pointer{0};
  for (uint64_t cell = 0; cell < kCells; ++cell) {
    for (uint32_t gene = 0; gene < kGenes; gene += 1 + (cell + gene) % 7) {
      values.push_back(gene * gene * cell);
      index.push_back(gene);
    }
    pointer.push_back(values.size());
  }
  const auto names = [](const char* prefix, uint64_t count) {
    std::vector<std::string> all;
    for (uint64_t i = 0; i < count; ++i) all.push_back(prefix + std::to_string(i));
    return text_array(all);
  };
  SparseMatrix matrix;
  matrix.rows = kGenes;
  matrix.columns = kCells;
  matrix.value = std::make_shared<ChunkedCopy>(context, numbers<uint32_t>(values), Shape{50});
  matrix.index = numbers<uint32_t>(index);
  matrix.pointer = numbers<uint64_t>(pointer);
  matrix.row_names = names("gene, \"", kGenes);
  matrix.column_names = names("c", kCells);
  return matrix;
}

struct Directories {
  std::vector<ViewEntry> all;

  Directories(Content content, Context& context) {
    Node node;
    node.content = std::move(content);
    for (const View& view : views())
      if (view.option == kPartsView) view.offer(node, context, all);
  }
  const NamedFiles& genes() const { return *all.at(0).found; }
  const NamedFiles& cells() const { return *all.at(1).found; }
};

std::vector<std::string> names_of(const NamedFiles& files) {
  const FoundNamesPtr names = files.names();
  std::vector<std::string> all;
  for (uint64_t place = 0; place < names->count(); ++place) all.push_back(names->at(place));
  return all;
}

std::string text_of(const NamedFiles& files, std::string_view name) {
  const auto file = files.find(name);
  return file ? whole_text(*file->open()) : "none";
}

BOOST_AUTO_TEST_SUITE(matrix_parts)

BOOST_AUTO_TEST_CASE(a_gene_and_a_cell_are_a_file_each) {
  TestContext context;
  const Directories parts(small_matrix(context), context);
  BOOST_TEST(parts.all.at(0).name == "genes");
  BOOST_TEST(parts.all.at(0).is_unlisted);
  BOOST_TEST(names_of(parts.genes()) ==
                 (std::vector<std::string>{"E1.csv", "E1.npy", "B.csv", "B.npy", "E3.csv", "E3.npy"}),
             boost::test_tools::per_element());
  BOOST_TEST(text_of(parts.genes(), "B.csv") == "\"\",B\n\"c,1\",0\nc2,200\n");
  BOOST_TEST(text_of(parts.genes(), "E2.csv") == "\"\",E2\n\"c,1\",0\nc2,200\n");
  BOOST_TEST(text_of(parts.genes(), "B,E1.csv") == "\"\",B,E1\n\"c,1\",0,10\nc2,200,0\n");
  BOOST_TEST(text_of(parts.cells(), "c,1.csv") == "\"\",\"c,1\"\nE1,10\nB,0\nE3,7\n");
  for (const std::string none : {"C.csv", "B.txt", "B", ".csv", "E1,C.csv", "B.mtx", "B.npy.csv"})
    BOOST_CHECK_MESSAGE(!parts.genes().find(none), none);
}

BOOST_AUTO_TEST_CASE(each_listed_name_has_its_place) {
  TestContext context;
  const Directories parts(small_matrix(context), context);
  const FoundNamesPtr names = parts.genes().names();
  for (uint64_t place = 0; place < names->count(); ++place)
    BOOST_TEST((names->place_of(names->at(place)) == std::optional(place)));
  for (const std::string unlisted : {"E2.csv", "B,E1.csv", "none.csv", "B.txt"})
    BOOST_TEST(!names->place_of(unlisted), unlisted);
}

// Another level of by/ has the same genes, and the cache holds their names once.
BOOST_AUTO_TEST_CASE(matrices_with_the_same_genes_share_their_names) {
  TestContext context;
  const SparseMatrix matrix = small_matrix(context);
  const Directories first(matrix, context), second(matrix, context);
  first.genes().names();
  const uint64_t misses = context.cache.statistics().misses;
  BOOST_TEST(second.genes().names()->count() == 6U);
  BOOST_TEST(context.cache.statistics().misses == misses);
}

BOOST_AUTO_TEST_CASE(ambiguous_name_is_an_error) {
  TestContext context;
  const Directories parts(small_matrix(context), context);
  // VIEWS 12 "A name shared by several is the error".
  for (const std::string name : {"A.csv", "A.npy", "B,A.csv"})
    BOOST_CHECK_EXCEPTION(parts.genes().find(name), Error, mentions("2 genes have the name A: E1, E3"));
}

BOOST_AUTO_TEST_CASE(one_pass_measures_all_parts) {
  TestContext context;
  const Directories parts(wide_matrix(context), context);
  uint64_t asked = 0;
  for (const std::string& name : names_of(parts.genes())) {
    if (!name.ends_with(".csv")) continue;
    const auto file = parts.genes().find(name)->open();
    const uint64_t blocks = context.counters.text_blocks_measured;
    const uint64_t size = file->size();
    // Later parts are not measured one by one.
    if (++asked > 70) BOOST_TEST(context.counters.text_blocks_measured == blocks);
    BOOST_TEST_REQUIRE(size == whole_text(*file).size(), name);
  }
  BOOST_TEST(asked == kGenes);
}

BOOST_AUTO_TEST_CASE(listing_has_known_sizes_and_one_lookup_measures_all) {
  TestContext context;
  const Directories parts(wide_matrix(context), context);
  const NamedFiles& genes = parts.genes();
  const std::vector<std::string> names = names_of(genes);
  BOOST_TEST(!genes.listed_size(names[0]).has_value());
  BOOST_TEST(*genes.listed_size(names[1]) == whole_text(*genes.find(names[1])->open()).size());  // .npy
  // A lookup right after the listing counts for all. On a busy machine this may need several attempts.
  constexpr int kMaxTries = 5;  // more lookups would trigger it without a listing
  for (int i = 0; i < kMaxTries && !genes.listed_size(names[0]); ++i)
    genes.find(names[2 * i])->open()->size();
  for (const std::string& name : names)
    BOOST_TEST_REQUIRE(genes.listed_size(name).value_or(0) == whole_text(*genes.find(name)->open()).size(),
                       name);
  BOOST_TEST(!genes.listed_size("none.csv").has_value());
  BOOST_TEST(!genes.listed_size(names[0].substr(0, names[0].size() - 4) + ",gene.csv").has_value());
}

BOOST_AUTO_TEST_CASE(a_dense_matrix_has_parts_in_either_orientation) {
  TestContext context;
  for (const bool transposed : {true, false}) {
    LabelledArray array{numbers<int32_t>({1, 2, 3, 4, 5, 6}, transposed ? Shape{2, 3} : Shape{3, 2}), nullptr,
                        nullptr};
    array.matrix = MatrixFiles{transposed, nullptr, text_array({"A", "B", "C"}), text_array({"c1", "c2"})};
    const Directories parts(array, context);
    BOOST_TEST(text_of(parts.genes(), "B.csv") ==
               (transposed ? "\"\",B\nc1,2\nc2,5\n" : "\"\",B\nc1,3\nc2,4\n"));
    BOOST_TEST(text_of(parts.cells(), "c2.csv") ==
               (transposed ? "\"\",c2\nA,4\nB,5\nC,6\n" : "\"\",c2\nA,2\nB,4\nC,6\n"));
  }
}

BOOST_AUTO_TEST_CASE(other_matrices_have_no_parts) {
  TestContext context;
  SparseMatrix matrix = small_matrix(context);
  matrix.column_names = nullptr;
  BOOST_TEST(Directories(matrix, context).all.empty());
  matrix.rows = 2;
  matrix.row_names = matrix.column_names = text_array({"c1", "c2"});  // a graph of cells
  BOOST_TEST(Directories(matrix, context).all.empty());
  BOOST_TEST(Directories(LabelledArray{numbers<int32_t>({1, 2}), nullptr, nullptr}, context).all.empty());
}

BOOST_AUTO_TEST_CASE(unreadable_matrix_lists_its_parts) {
  TestContext context;
  SparseMatrix matrix = small_matrix(context);
  matrix.pointer = numbers<uint32_t>({0, 9, 3});
  const Directories parts(matrix, context);
  BOOST_TEST(parts.genes().names()->count() == 6U);
  BOOST_CHECK_EXCEPTION(text_of(parts.genes(), "B.csv"), Error, mentions("pointer 1 is 9"));
  BOOST_CHECK_EXCEPTION(text_of(parts.genes(), "B.npy"), Error, mentions("pointer 1 is 9"));
  matrix = small_matrix(context);
  matrix.error = damaged("a matrix of words");
  BOOST_CHECK_EXCEPTION(text_of(Directories(matrix, context).genes(), "B.csv"), Error,
                        mentions("a matrix of words"));
  matrix.error = unsupported("a matrix of words");
  BOOST_TEST(Directories(matrix, context).all.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
