#include "fs/views/matrix/matrix_files.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/arrays/derived_array.h"
#include "tests/support/listed_files.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {

namespace {

template <class T>
std::string bytes_of(const char* magic, const std::vector<T>& values) {
  return magic + std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

SparseMatrix small_sparse(ArrayPtr value = numbers<uint32_t>({5, 7, 9})) {
  SparseMatrix matrix;
  matrix.rows = 3;
  matrix.columns = 2;
  matrix.value = std::move(value);
  matrix.index = numbers<int64_t>({1, 0, 2});
  matrix.pointer = numbers<int32_t>({0, 1, 3});
  matrix.row_names = text_array({"A", "żółw", ""});
  matrix.column_names = text_array({"c1", "c2"});
  return matrix;
}

struct Fixture {
  TestContext context;

  std::map<std::string, std::string> files(const SparseMatrix& matrix) {
    return listed_texts(bpcells_directory(matrix, context));
  }
  std::string version(ArrayPtr value) { return files(small_sparse(std::move(value))).at("version"); }
  std::string value_bytes(ArrayPtr value) { return files(small_sparse(std::move(value))).at("val"); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(bpcells_directories, Fixture)

BOOST_AUTO_TEST_CASE(a_matrix_is_eight_files) {
  const auto all = files(small_sparse());
  BOOST_TEST(all.size() == 8u);
  BOOST_TEST(all.at("version") == "unpacked-uint-matrix-v2\n");
  BOOST_TEST(all.at("storage_order") == "col\n");
  BOOST_TEST(all.at("shape") == bytes_of<uint32_t>("UINT32v1", {3, 2}));
  BOOST_TEST(all.at("row_names") == "A\nżółw\n\n");
  BOOST_TEST(all.at("col_names") == "c1\nc2\n");
  BOOST_TEST(all.at("idxptr") == bytes_of<uint64_t>("UINT64v1", {0, 1, 3}));
  BOOST_TEST(all.at("index") == bytes_of<uint32_t>("UINT32v1", {1, 0, 2}));
  BOOST_TEST(all.at("val") == bytes_of<uint32_t>("UINT32v1", {5, 7, 9}));
  SparseMatrix by_row = small_sparse();
  by_row.by_row = true;
  std::swap(by_row.rows, by_row.columns);
  BOOST_TEST(files(by_row).at("storage_order") == "row\n");
  BOOST_TEST(files(by_row).at("shape") == bytes_of<uint32_t>("UINT32v1", {2, 3}));
}

// BPCells would continue without the names.
BOOST_AUTO_TEST_CASE(unreadable_names_leave_no_version) {
  for (const bool are_rows : {true, false}) {
    SparseMatrix matrix = small_sparse();
    const auto broken = std::make_shared<BrokenArray>(text_type(), damaged("the chunk is cut"));
    (are_rows ? matrix.row_names : matrix.column_names) = broken;
    const ListEntries generated = bpcells_directory(matrix, context);
    BOOST_CHECK_EXCEPTION(text_at(generated, "version"), Error, mentions("the chunk is cut"));
    BOOST_TEST(text_at(generated, "val") == bytes_of<uint32_t>("UINT32v1", {5, 7, 9}));
  }
}

BOOST_AUTO_TEST_CASE(values_have_the_smallest_sufficient_type) {
  const std::string uint = "unpacked-uint-matrix-v2\n", real = "unpacked-double-matrix-v2\n";
  BOOST_TEST(version(numbers<uint8_t>({1, 2, 3})) == uint);
  BOOST_TEST(version(numbers<int64_t>({1, 0, 4294967295})) == uint);
  BOOST_TEST(value_bytes(numbers<int64_t>({1, 0, 4294967295})) ==
             bytes_of<uint32_t>("UINT32v1", {1, 0, 4294967295}));
  BOOST_TEST(version(numbers<int64_t>({1, 0, 4294967296})) == real);
  BOOST_TEST(version(numbers<int8_t>({1, -1, 3})) == real);
  BOOST_TEST(value_bytes(numbers<int8_t>({1, -1, 3})) == bytes_of<double>("DOUBLEv1", {1, -1, 3}));
  BOOST_TEST(version(numbers<float>({1, 2, 3})) == "unpacked-float-matrix-v2\n");
  BOOST_TEST(value_bytes(numbers<float>({1, -0.f, 0.1f})) == bytes_of<float>("FLOATSv1", {1, -0.f, 0.1f}));
  BOOST_TEST(version(numbers<double>({1, 2, 3})) == real);
  BOOST_TEST(value_bytes(as_logical(numbers<int8_t>({1, 0, 5}))) ==
             bytes_of<uint32_t>("UINT32v1", {1, 0, 1}));
  SparseMatrix real_numbers = small_sparse();
  real_numbers.is_real = true;
  BOOST_TEST(files(real_numbers).at("version") == real);
}

BOOST_AUTO_TEST_CASE(a_missing_value_is_nan) {
  const auto last_missing = [](const Elements& elements, std::vector<uint8_t>& missing) {
    if (elements.count == 3) missing[2] = 1;
  };
  const ArrayPtr values = with_missing(numbers<int32_t>({1, 2, 3}), last_missing);
  BOOST_TEST(value_bytes(values) ==
             bytes_of<double>("DOUBLEv1", {1, 2, std::numeric_limits<double>::quiet_NaN()}));
}

BOOST_AUTO_TEST_CASE(value_out_of_range_is_refused) {
  BOOST_CHECK_EXCEPTION(version(text_array({"a", "b", "c"})), Error, mentions("a sparse matrix of"));
  BOOST_CHECK_EXCEPTION(value_bytes(numbers<int64_t>({1, -1, (int64_t{1} << 53) + 1})), Error,
                        mentions("9007199254740993"));
  SparseMatrix matrix = small_sparse();
  matrix.rows = uint64_t{1} << 31;
  BOOST_CHECK_EXCEPTION(files(matrix), Error, mentions("2147483648 rows or columns"));
  matrix = small_sparse();
  matrix.error = damaged("unknown");
  BOOST_CHECK_EXCEPTION(files(matrix), Error, mentions("unknown"));
}

// BPCells requires it.
BOOST_AUTO_TEST_CASE(indices_are_sorted) {
  SparseMatrix matrix = small_sparse();
  matrix.index = numbers<int64_t>({1, 2, 0});
  const auto all = files(matrix);
  BOOST_TEST(all.at("index") == bytes_of<uint32_t>("UINT32v1", {1, 0, 2}));
  BOOST_TEST(all.at("val") == bytes_of<uint32_t>("UINT32v1", {5, 9, 7}));
  matrix.index = numbers<int64_t>({1, 2, 2});
  BOOST_CHECK_EXCEPTION(files(matrix), Error,
                        mentions("cannot have repeated entries: row 2 occurs twice in column 1"));
  matrix.index = numbers<int64_t>({1, 0, 3});
  BOOST_CHECK_EXCEPTION(files(matrix), Error, mentions("row 3 is not below 3"));
  matrix.index = numbers<int64_t>({1, 0, 2});
  matrix.pointer = numbers<int32_t>({0, 1, 2});
  BOOST_CHECK_EXCEPTION(files(matrix), Error,
                        mentions("the pointers end at 2, expected 3, the number of entries"));
}

BOOST_AUTO_TEST_CASE(names_are_lines) {
  SparseMatrix matrix = small_sparse();
  matrix.row_names = nullptr;
  matrix.column_names = text_array({"too", "many", "names"});
  BOOST_TEST(files(matrix).at("row_names") == "");
  BOOST_TEST(files(matrix).at("col_names") == "");
  for (const std::string& name : {std::string("two\nlines"), std::string("end\r")}) {
    matrix.column_names = text_array({"c1", name});
    const ListEntries generated = bpcells_directory(matrix, context);
    BOOST_CHECK_EXCEPTION(text_at(generated, "col_names"), Error, mentions("contains a line end"));
    BOOST_TEST(text_at(generated, "val") == bytes_of<uint32_t>("UINT32v1", {5, 7, 9}));
  }
}

BOOST_AUTO_TEST_CASE(many_names_are_found_in_the_middle) {
  SparseMatrix matrix = small_sparse();
  std::vector<std::string> names;
  std::string want;
  for (int i = 0; i < 5000; ++i) {
    names.push_back(std::string(i % 13, 'n') + std::to_string(i));
    want += names.back() + "\n";
  }
  matrix.rows = names.size();
  matrix.row_names = text_array(names);
  const auto file = found(bpcells_directory(matrix, context), "row_names").open();
  BOOST_CHECK(whole_text(*file) == want);
  std::mt19937_64 random(5);
  BOOST_TEST(slices_match(*file, want, random, 200));
}

BOOST_AUTO_TEST_CASE(listing_reads_nothing) {
  SparseMatrix matrix;
  matrix.rows = matrix.columns = 1;
  matrix.value = matrix.index = matrix.pointer =
      std::make_shared<BrokenArray>(number_type(Kind::integer, 4), damaged("not to be read"));
  BOOST_TEST(listed_files(bpcells_directory(matrix, context)).size() == 8u);
  BOOST_CHECK_EXCEPTION(files(matrix), Error, mentions("not to be read"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
