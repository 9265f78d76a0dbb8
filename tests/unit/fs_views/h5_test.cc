// Files with metadata written by libhdf5, read back by the project's own container.
#include <boost/test/unit_test.hpp>

#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "fs/layout/h5_layout.h"
#include "fs/views/matrix/tenx_h5.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/written_h5.h"

namespace plainfs {

namespace {

SparseMatrix small_matrix() {
  SparseMatrix matrix;
  matrix.rows = 3;
  matrix.columns = 4;
  matrix.value = numbers<uint16_t>({1, 2, 700});
  matrix.index = numbers<uint32_t>({0, 2, 1});
  matrix.pointer = numbers<uint64_t>({0, 2, 2, 3, 3});
  matrix.row_names = text_array({"A", "B", "B"});
  matrix.column_names = text_array({"CELL0-1", "CELL1-1", "", "CELL3-10"});
  return matrix;
}

TenxFeatures small_features() {
  return {text_array({"ENSG1", "ENSG2", "ENSG3"}), text_array({"A", "B", "\u00e9"}),
          constant_text(3, "Gene Expression")};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(virtual_hdf5_files)

BOOST_AUTO_TEST_CASE(tenx_files_match_cell_ranger) {
  TestContext context;
  const auto file = layout_file([&] { return tenx_h5(small_matrix(), small_features(), context); }, context);
  const WrittenFile written(whole_text(*file));
  BOOST_TEST(*written.root().attributes().find("filetype")->text() == "matrix");
  BOOST_TEST(written.numbers<int32_t>({"matrix", "data"}) == (std::vector<int32_t>{1, 2, 700}));
  BOOST_TEST(written.numbers<int64_t>({"matrix", "indices"}) == (std::vector<int64_t>{0, 2, 1}));
  BOOST_TEST(written.numbers<int64_t>({"matrix", "indptr"}) == (std::vector<int64_t>{0, 2, 2, 3, 3}));
  BOOST_TEST(written.numbers<int32_t>({"matrix", "shape"}) == (std::vector<int32_t>{3, 4}));
  BOOST_TEST(written.texts({"matrix", "barcodes"}) ==
             (std::vector<std::string>{"CELL0-1", "CELL1-1", "", "CELL3-10"}));
  BOOST_TEST(written.texts({"matrix", "features", "id"}) ==
             (std::vector<std::string>{"ENSG1", "ENSG2", "ENSG3"}));
  BOOST_TEST(written.texts({"matrix", "features", "name"}) == (std::vector<std::string>{"A", "B", "\u00e9"}));
  BOOST_TEST(written.texts({"matrix", "features", "feature_type"}).back() == "Gene Expression");
  BOOST_TEST(written.texts({"matrix", "features", "_all_tag_keys"}).front() == "genome");
}

BOOST_AUTO_TEST_CASE(a_missing_name_is_spelled_as_in_the_text) {
  TestContext context;
  const auto second_missing = [](ArrayPtr values) {
    return with_missing(std::move(values),
                        [](const Elements&, std::vector<uint8_t>& missing) { missing.at(1) = 1; });
  };
  SparseMatrix matrix = small_matrix();
  matrix.column_names = second_missing(text_array({"a", "b", "c", "d"}));
  const TenxFeatures features{second_missing(text_array({"1", "2", "3"})),
                              second_missing(text_array({"A", "B", "C"})),
                              second_missing(text_array({"", "", ""}))};
  const WrittenFile file(
      whole_text(*layout_file([&] { return tenx_h5(matrix, features, context); }, context)));
  BOOST_TEST(file.texts({"matrix", "barcodes"}) == (std::vector<std::string>{"a", "NA", "c", "d"}));
  BOOST_TEST(file.texts({"matrix", "features", "id"}) == (std::vector<std::string>{"1", "NA", "3"}));
  BOOST_TEST(file.texts({"matrix", "features", "name"}) == (std::vector<std::string>{"A", "NA", "C"}));
  BOOST_TEST(file.texts({"matrix", "features", "feature_type"}) == (std::vector<std::string>{"", "NA", ""}));
}

// An integer that an i4 cannot hold is unsupported.
BOOST_AUTO_TEST_CASE(an_integer_outside_of_32_bits_is_unsupported) {
  TestContext context;
  for (const int64_t large : {int64_t{INT32_MAX} + 1, int64_t{INT32_MIN} - 1}) {
    SparseMatrix matrix = small_matrix();
    matrix.value = numbers<int64_t>({1, large, 700});
    const auto file = layout_file([&] { return tenx_h5(matrix, small_features(), context); }, context);
    BOOST_CHECK_EXCEPTION(whole_text(*file), Error, [&](const Error& error) {
      return error.code() == Errc::unsupported &&
             std::string(error.what()) ==
                 fmt::format("{} does not fit into the 32-bit integers of 10x's files", large);
    });
  }
}

BOOST_AUTO_TEST_CASE(matrices_without_entries_are_files_too) {
  SparseMatrix matrix = small_matrix();
  matrix.value = numbers<float>({});
  matrix.index = numbers<int32_t>({});
  matrix.pointer = numbers<int32_t>({0, 0, 0, 0, 0});
  TestContext context;
  const auto file = layout_file([&] { return tenx_h5(matrix, small_features(), context); }, context);
  const WrittenFile written(whole_text(*file));
  BOOST_TEST(written.array({"matrix", "data"})->count() == 0u);
  BOOST_TEST(written.numbers<int64_t>({"matrix", "indptr"}).size() == 5u);
}

BOOST_AUTO_TEST_CASE(a_row_outside_of_the_matrix_is_damage) {
  SparseMatrix matrix = small_matrix();
  std::vector<int32_t> rows(matrix.index->count(), 0);
  rows.back() = static_cast<int32_t>(matrix.rows);
  matrix.index = numbers(rows);
  TestContext context;
  const auto file = layout_file([&] { return tenx_h5(matrix, small_features(), context); }, context);
  BOOST_TEST(message_of([&] { whole_text(*file); }) ==
             fmt::format("row {} is not below {}", matrix.rows, matrix.rows));
}

BOOST_AUTO_TEST_CASE(a_matrix_by_row_is_the_file_of_the_same_by_column) {
  SparseMatrix by_row = small_matrix();
  by_row.by_row = true;
  by_row.value = numbers<uint16_t>({1, 700, 2});
  by_row.index = numbers<int8_t>({0, 2, 0});
  by_row.pointer = numbers<int32_t>({0, 1, 2, 3});
  const auto bytes = [](const SparseMatrix& matrix) {
    TestContext context;
    return whole_text(*layout_file([&] { return tenx_h5(matrix, small_features(), context); }, context));
  };
  BOOST_TEST((bytes(by_row) == bytes(small_matrix())));
}

BOOST_AUTO_TEST_CASE(the_same_content_is_the_same_file) {
  const auto bytes = [] {
    TestContext context;
    return whole_text(
        *layout_file([&] { return tenx_h5(small_matrix(), small_features(), context); }, context));
  };
  BOOST_TEST((bytes() == bytes()));
}

// If the library creates them itself, it adds the time, and each file has different bytes.
BOOST_AUTO_TEST_CASE(intermediate_groups_are_written_like_others) {
  const hdf5::SkeletonObject number{
      "/qc/deep/n", {}, hdf5::SkeletonDataset{hdf5::SkeletonKind::real, 8, {3}}};
  const hdf5::Skeleton implied = hdf5::write_skeleton({{"/", {}}, number});
  const hdf5::Skeleton named = hdf5::write_skeleton({{"/", {}}, {"/qc", {}}, {"/qc/deep", {}}, number});
  BOOST_TEST(implied.size == named.size);
  BOOST_REQUIRE_EQUAL(implied.extents.size(), named.extents.size());
  for (size_t i = 0; i < named.extents.size(); ++i)
    BOOST_TEST((implied.extents[i].bytes == named.extents[i].bytes));
}

BOOST_AUTO_TEST_CASE(every_kind_of_attribute_and_dataset_reads_back) {
  TestContext context;
  std::vector<std::string> many;  // over 64 KiB of attribute
  for (int i = 0; i < 6000; ++i) many.push_back("column " + std::to_string(i));
  H5Layout out(context);
  out.group("/", {{"text", std::string("x")}, {"number", int64_t{7}}, {"yes", true}});
  out.group("/a",
            {{"many", many}, {"none", std::vector<std::string>{}}, {"shape", std::vector<int64_t>{3, 4}}});
  out.dataset("/a/b/c", numbers<double>({1.5, 2.5}));  // the intermediate group is created
  out.dataset("/a/truth", std::make_shared<MemoryArray>(number_type(Kind::boolean, 1), Shape{2},
                                                        elements_of<uint8_t>({1, 0})));
  out.dataset("/a/rank2", numbers<int8_t>({1, 2, 3, 4, 5, 6}, {2, 3}));
  out.dataset("/a/turned",
              std::make_shared<MemoryArray>(number_type(Kind::integer, 1), Shape{3, 2},
                                            elements_of<int8_t>({1, 4, 2, 5, 3, 6}), Attributes{}, true));
  out.texts("/a/texts", {"", "\u00e9", "long text"});
  const auto file = layout_file([&] { return out.finish(); }, context);
  const WrittenFile written(whole_text(*file));
  const Attributes attributes = find_group(written.root(), "a")->attributes();
  BOOST_TEST(to_json_text(*attributes.find("many")).size() > size_t{64} << 10);
  BOOST_TEST(to_json_text(*attributes.find("shape")) == "[3,4]");
  BOOST_TEST(to_json_text(*attributes.find("none")) == "[]");
  BOOST_TEST(to_json_text(*written.root().attributes().find("yes")) == "true");
  BOOST_TEST(written.numbers<double>({"a", "b", "c"}) == (std::vector<double>{1.5, 2.5}));
  BOOST_TEST(written.numbers<int8_t>({"a", "rank2"}) == (std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
  BOOST_TEST(written.numbers<int8_t>({"a", "turned"}) == (std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
  BOOST_TEST((written.array({"a", "turned"})->shape() == Shape{2, 3}));
  BOOST_TEST(written.texts({"a", "texts"}) == (std::vector<std::string>{"", "\u00e9", "long text"}));
}

BOOST_AUTO_TEST_CASE(any_slice_decodes_only_its_part) {
  std::mt19937_64 random(6);
  constexpr uint64_t kEntries = 200000;
  std::vector<uint32_t> values(kEntries), rows(kEntries);
  for (uint64_t i = 0; i < kEntries; ++i) values[i] = random() % 50, rows[i] = i % 1000;
  std::vector<uint64_t> pointers;
  for (uint64_t p = 0; p <= kEntries; p += 1000) pointers.push_back(p);
  std::vector<std::string> genes(1000, "gene"), cells(pointers.size() - 1, "cell");
  TestContext context;
  const auto value = std::make_shared<ChunkedCopy>(context, numbers(values), Shape{4096});
  const auto index = std::make_shared<ChunkedCopy>(context, numbers(rows), Shape{4096});
  SparseMatrix matrix;
  matrix.rows = 1000;
  matrix.columns = cells.size();
  matrix.value = value;
  matrix.index = index;
  matrix.pointer = numbers(pointers);
  matrix.column_names = text_array(cells);
  const ArrayPtr names = text_array(genes);
  const auto file = layout_file([&] { return tenx_h5(matrix, {names, names, names}, context); }, context);
  const uint64_t size = file->size();
  BOOST_TEST(value->chunks_decoded() + index->chunks_decoded() == 0u);
  read_text(*file, size / 2, 100);  // a jump: no read-ahead
  BOOST_TEST(value->chunks_decoded() + index->chunks_decoded() == 1u);
  BOOST_TEST(slices_match(*file, whole_text(*file), random, 100));
}

BOOST_AUTO_TEST_CASE(names_invalid_in_hdf5_are_refused) {
  TestContext context;
  H5Layout out(context);
  out.dataset("/a", numbers<int>({1}));
  out.dataset("/a", numbers<int>({1}));
  BOOST_TEST(message_of([&] { out.finish(); }).find("/a in an HDF5 file") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
