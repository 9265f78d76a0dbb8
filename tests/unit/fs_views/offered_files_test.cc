#include <boost/test/unit_test.hpp>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/nested_array.h"
#include "fs/views/view.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

std::vector<ViewEntry> files_of(Content content, Context& context,
                                std::initializer_list<std::string_view> options) {
  Node node;
  node.content = std::move(content);
  std::vector<ViewEntry> files;
  for (const std::string_view option : options)
    for (const View& view : views())
      if (view.option == option) view.offer(node, context, files);
  return files;
}

// Returns the names of all files, those in a node's directory after a slash.
std::string names_of(const std::vector<ViewEntry>& files) {
  std::string names;
  for (const ViewEntry& file : files) {
    if (!file.list) names += (file.is_beside ? " " : " /") + file.name;
    if (file.list)
      for (const ViewEntry& member : file.list()) names += " /" + file.name + "/" + member.name;
  }
  return names;
}
std::string names_of(Content content) {
  TestContext context;
  return names_of(files_of(std::move(content), context, {"gz", "bgzf", "rds", "h5"}));
}

SparseMatrix small_matrix() {
  SparseMatrix matrix;
  matrix.rows = 2;
  matrix.columns = 1;
  matrix.value = numbers<uint32_t>({5});
  matrix.index = numbers<uint32_t>({1});
  matrix.pointer = numbers<uint32_t>({0, 1});
  matrix.row_names = text_array({"A", "B"});
  matrix.column_names = text_array({"c"});
  return matrix;
}

Fragments small_fragments(std::vector<uint32_t> end) {
  Fragments fragments;
  fragments.cell = numbers<uint32_t>({0, 0});
  fragments.start = numbers<uint32_t>({0, 10});
  fragments.end = numbers<uint32_t>(std::move(end));
  fragments.chr_pointer = numbers<uint64_t>({0, 1, 1, 2});
  fragments.cell_names = text_array({"A-1"});
  fragments.chr_names = text_array({"chr1", "chr2"});
  return fragments;
}

// Returns the content of a file of stored blocks that is one member.
std::string unframed(ViewFile& file) {
  const std::string framed = whole_text(file);
  return framed.substr(23, framed.size() - 23 - 8 - 28);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(offered_files)

BOOST_AUTO_TEST_CASE(each_content_offers_its_files) {
  BOOST_TEST(names_of(std::monostate()) == "");
  BOOST_TEST(names_of(LabelledArray{numbers<int>({1}), nullptr, nullptr}) == "");
  BOOST_TEST(names_of(LabelledArray{numbers<int>({1}, {1, 1}), nullptr, nullptr}) == " .rds");
  BOOST_TEST(names_of(Table{}) == " .rds");
  BOOST_TEST(names_of(Error(Errc::damaged, "x")) == "");
  BOOST_TEST(names_of(Fragments{}) == " /fragments.tsv.gz /fragments.tsv.gz.tbi /fragments.tsv.gz.csi");
  BOOST_TEST(names_of(small_matrix()) ==
             " /10x/matrix.mtx.gz /10x/features.tsv.gz /10x/barcodes.tsv.gz /10x/10x.h5 /matrix.rds");
  SparseMatrix matrix = small_matrix();
  matrix.row_names = nullptr;
  BOOST_TEST(names_of(matrix) == " /matrix.rds");
}

BOOST_AUTO_TEST_CASE(a_table_of_cells_too_large_to_be_held_has_no_rds) {
  const auto cells_of = [](uint32_t leaves) {
    const RowElements elements{
        nullptr, numbers(std::vector<uint8_t>(leaves, 7)), {numbers<uint32_t>({leaves})}};
    return Table{1, nullptr, {{"n", numbers<int32_t>({1})}, {"c", std::make_shared<NestedArray>(elements)}}};
  };
  BOOST_TEST(names_of(cells_of(1 << 20)) == " .rds");
  BOOST_TEST(names_of(cells_of((1 << 20) + 1)) == "");
}

// Cell Ranger has only cells by features. A graph has cells on both sides.
BOOST_AUTO_TEST_CASE(a_matrix_by_row_has_the_same_files_and_a_graph_no_genes) {
  SparseMatrix matrix = small_matrix();
  const std::string by_column = names_of(matrix);
  matrix.by_row = true;
  BOOST_TEST(names_of(matrix) == by_column);
  matrix.columns = 2;
  matrix.column_names = matrix.row_names;
  BOOST_TEST(names_of(matrix) == " /matrix.rds");
}

BOOST_AUTO_TEST_CASE(a_dense_matrix_has_the_file_of_cell_ranger_too) {
  LabelledArray dense{numbers<float>({0, 5}, {2, 1}), nullptr, nullptr};
  dense.matrix = MatrixFiles{false, nullptr, text_array({"A", "B"}), text_array({"c"})};
  BOOST_TEST(names_of(dense) ==
             " /10x/matrix.mtx.gz /10x/features.tsv.gz /10x/barcodes.tsv.gz /10x/10x.h5 .rds");
}

// For any order of size requests: a request for every size waits for one pass over the values.
BOOST_AUTO_TEST_CASE(dense_text_and_cell_ranger_file_share_a_pass) {
  for (const bool cells_are_rows : {false, true}) {
    for (const bool text_first : {false, true}) {
      TestContext context(uint64_t{256} << 10, 1);  // of 400 KB
      const auto values = std::make_shared<ChunkedCopy>(
          context, numbers(std::vector<int32_t>(100'000, 7), {200, 500}), Shape{20, 50});
      std::vector<std::string> rows(200), columns(500);
      LabelledArray dense{values, nullptr, nullptr};
      dense.matrix = MatrixFiles{cells_are_rows, nullptr, text_array(cells_are_rows ? columns : rows),
                                 text_array(cells_are_rows ? rows : columns)};
      const auto files = files_of(dense, context, {"mtx", "h5"});
      BOOST_REQUIRE(names_of(files) == " /matrix.mtx /10x/10x.h5");
      std::vector<Opener> openers{files[0].open, files[1].list()[0].open};
      if (!text_first) std::swap(openers[0], openers[1]);
      const auto first = openers[0]();
      BOOST_TEST(first->size() > 100'000u);
      const uint64_t decoded = values->chunks_decoded();
      BOOST_TEST(openers[1]()->size() > 100'000u);
      BOOST_TEST(values->chunks_decoded() == decoded);
    }
  }
}

// A temporary fault removes no file: each file that needs the unreadable data reports it, and the others are
// complete.
BOOST_AUTO_TEST_CASE(temporarily_unreadable_names_hide_no_file) {
  const auto unread = std::make_shared<BrokenArray>(text_type(), unreadable("the disk fails"));
  SparseMatrix matrix = small_matrix();
  const std::string whole = names_of(matrix);
  matrix.row_names = unread;
  BOOST_TEST(names_of(matrix) == whole);
  TestContext context;
  const auto files = files_of(matrix, context, {"gz", "h5"});
  const auto members = files.at(0).list();
  BOOST_TEST(unframed(*members.at(2).open()) == "c\n");
  for (const size_t failing : {1, 3})
    BOOST_CHECK_EXCEPTION(members.at(failing).open()->size(), Error, mentions("the disk fails"));

  LabelledArray dense{numbers<float>({0, 5}, {2, 1}), unread, nullptr};
  dense.matrix = MatrixFiles{false, nullptr, unread, text_array({"c"})};
  BOOST_TEST(names_of(dense).find("/10x/10x.h5") != std::string::npos);

  SparseMatrix without_shape = small_matrix();  // the expected number of names is unknown too
  without_shape.rows = without_shape.columns = 0;
  without_shape.error = unreadable("the disk fails");
  BOOST_TEST(names_of(without_shape) == whole);
  BOOST_TEST(names_of(files_of(without_shape, context, {"mtx", "tsv"})) ==
             " /matrix.mtx /genes.tsv /barcodes.tsv");
  without_shape.error = damaged("no shape");
  BOOST_TEST(names_of(without_shape) == " /matrix.rds");
}

BOOST_AUTO_TEST_CASE(features_have_an_id_a_name_and_a_type) {
  TestContext context;
  SparseMatrix matrix = small_matrix();
  const auto features = [&] {
    const auto files = files_of(matrix, context, {"gz"});
    return unframed(*files.at(0).list().at(1).open());
  };
  BOOST_TEST(features() == "A\tA\tGene Expression\nB\tB\tGene Expression\n");
  matrix.row_ids = text_array({"E1", "E2"});
  BOOST_TEST(features() == "E1\tA\tGene Expression\nE2\tB\tGene Expression\n");
}

BOOST_AUTO_TEST_CASE(the_text_and_its_framing_share_one_pass) {
  TestContext context;
  Node node;
  node.content = small_matrix();
  std::vector<ViewEntry> files;
  for (const View& view : views()) view.offer(node, context, files);
  const auto called = [&](std::string_view name) {
    return std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.name == name; });
  };
  const auto text = called("matrix.mtx")->open();
  text->size();
  const uint64_t measured = context.counters.text_blocks_measured;
  BOOST_TEST(unframed(*called("10x")->list()[0].open()) == whole_text(*text));
  BOOST_TEST(context.counters.text_blocks_measured == measured);
}

BOOST_AUTO_TEST_CASE(fragments_their_framing_and_their_index_share_one_pass) {
  TestContext context;
  Node node;
  node.content = small_fragments({5, 20});
  std::vector<ViewEntry> files;
  for (const View& view : views()) view.offer(node, context, files);
  // The lengths of the chromosomes are unknown. big_wig_test.cc has them.
  std::erase_if(files, [](const ViewEntry& file) { return file.is_unlisted; });
  std::vector<std::shared_ptr<ViewFile>> open;
  for (const ViewEntry& file : files) {
    open.push_back(file.open());
    BOOST_TEST(open.back()->size() > 0u);
  }
  BOOST_TEST(names_of(files) ==
             " /fragments.tsv /fragments.tsv.gz /fragments.tsv.gz.tbi /fragments.tsv.gz.csi");
  BOOST_TEST(context.counters.text_blocks_measured == 2u);  // one per chromosome
  BOOST_TEST(context.counters.text_blocks_formatted == 0u);
}

BOOST_AUTO_TEST_CASE(positions_beyond_a_tbi_have_a_csi) {
  constexpr uint32_t kReach = 1u << 29;
  TestContext context;
  for (const uint32_t end : {kReach, kReach + 2}) {  // 10x's end is one less
    const auto files = files_of(small_fragments({5, end}), context, {"tsv", "bgzf"});
    BOOST_TEST(files.at(3).open()->size() > 0u);
    if (end == kReach)
      BOOST_TEST(files.at(2).open()->size() > 0u);
    else
      BOOST_CHECK_EXCEPTION(files.at(2).open()->size(), Error,
                            mentions("of chr2 is too large for this kind of index"));
  }
}

// A listing does not depend on numbers that may be unreadable for now.
BOOST_AUTO_TEST_CASE(fragments_are_listed_without_reading_them) {
  Fragments fragments = small_fragments({5, 20});
  const std::string readable = names_of(fragments);
  fragments.end = fragments.chr_pointer =
      std::make_shared<BrokenArray>(number_type(Kind::integer, 4), unreadable("the disk fails"));
  BOOST_TEST(names_of(fragments) == readable);
}

BOOST_AUTO_TEST_CASE(files_hold_the_labelled_values) {
  TestContext context;
  const auto rds_of = [&](ArrayPtr values, ArrayPtr labels) {
    LabelledArray array{std::move(values), nullptr, nullptr};
    array.labels = std::move(labels);
    return whole_text(*files_of(std::move(array), context, {"rds"}).at(0).open());
  };
  const ArrayPtr stored = numbers<double>({1, -1}, {1, 2});
  const ArrayPtr meant = with_missing(stored, [](const Elements& elements, std::vector<uint8_t>& missing) {
    missing[elements.count - 1] = 1;
  });
  BOOST_TEST((rds_of(stored, meant) == rds_of(meant, nullptr)));
  BOOST_TEST((rds_of(stored, meant) != rds_of(stored, nullptr)));
}

BOOST_AUTO_TEST_CASE(a_table_of_compounds_is_one_in_r_too) {
  TestContext context;
  Elements records;
  records.count = 2;
  records.children = {elements_of<int32_t>({1, 2}), elements_of<double>({0.5, 1.5})};
  const DType type = packed_compound_type({{"a", type_of<int32_t>()}, {"b", type_of<double>()}});
  const ArrayPtr compounds = std::make_shared<MemoryArray>(type, Shape{2}, std::move(records));
  const auto files = files_of(LabelledArray{compounds, nullptr, nullptr}, context, {"rds"});
  Table table;
  table.rows = 2;
  table.columns = {{"a", numbers<int32_t>({1, 2})}, {"b", numbers<double>({0.5, 1.5})}};
  const auto same = files_of(table, context, {"rds"});
  BOOST_TEST((whole_text(*files.at(0).open()) == whole_text(*same.at(0).open())));
}

BOOST_AUTO_TEST_CASE(tables_have_a_parquet_file) {
  TestContext context;
  const auto parquet_of = [&](Content content) { return files_of(std::move(content), context, {"parquet"}); };
  const std::vector<ViewEntry> files = parquet_of(Table{1, nullptr, {{"x", numbers<int>({1})}}});
  BOOST_TEST(names_of(files) == " .parquet");
  BOOST_TEST(files.at(0).is_unlisted);
  BOOST_TEST(whole_text(*files[0].open()).starts_with("PAR1"));
  BOOST_TEST(names_of(parquet_of(Table{1, text_array({"a"}), {}})) == " .parquet");
  BOOST_TEST(names_of(parquet_of(Table{1, nullptr, {}})) == "");
  BOOST_TEST(names_of(parquet_of(LabelledArray{numbers<int>({1}), nullptr, nullptr})) == "");
}

BOOST_AUTO_TEST_CASE(tables_have_a_workbook) {
  TestContext context;
  const auto xlsx_of = [&](Content content) { return files_of(std::move(content), context, {"xlsx"}); };
  const std::vector<ViewEntry> files = xlsx_of(Table{1, nullptr, {{"x", numbers<int>({1})}}});
  BOOST_TEST(names_of(files) == " .xlsx");
  BOOST_TEST(files.at(0).is_unlisted);
  BOOST_TEST(whole_text(*files[0].open()).starts_with("PK"));
  BOOST_TEST(names_of(xlsx_of(Table{1, text_array({"a"}), {}})) == " .xlsx");
  BOOST_TEST(names_of(xlsx_of(Table{1, nullptr, {}})) == "");
  BOOST_TEST(names_of(xlsx_of(LabelledArray{numbers<int>({1}), nullptr, nullptr})) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
