#include "fs/views/anndata/anndata_files.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/core/model/arrays/derived_array.h"
#include "fs/layout/text_segments.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/written_h5.h"

namespace plainfs {

namespace {

// 3 cells, 2 genes.
AnnotatedMatrix small_matrix(Context& context) {
  AnnotatedMatrix generated;
  generated.cells = 3;
  generated.genes = 2;
  SparseMatrix x;
  x.rows = 3;
  x.columns = 2;
  x.by_row = true;
  x.value = numbers<float>({1, 2.5});
  x.index = numbers<uint32_t>({1, 0});
  x.pointer = numbers<uint64_t>({0, 1, 1, 2});
  generated.x = x;
  generated.obs.rows = 3;
  generated.obs.row_names = text_array({"c1", "c2", "c3"});
  const auto second_missing = [](ArrayPtr values) {
    return with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
      if (elements.count == 3) missing[1] = 1;
    });
  };
  generated.obs.columns = {
      {"n", numbers<int64_t>({7, 8, 9})},
      {"group", factor(numbers<int8_t>({1, 0, -1}), text_array({"a", "b"}), 0, "/group", context, true)},
      {"maybe", second_missing(numbers<int32_t>({1, 2, 3}))},
      {"words", second_missing(text_array({"x", "y", "x"}))},
  };
  generated.var.rows = 2;
  generated.obsm = {{"X_pca", LabelledArray{numbers<double>({1, 2, 3, 4, 5, 6}, {3, 2}), nullptr, nullptr}}};
  return generated;
}

WrittenFile written(const AnnotatedMatrix& matrix, Context& context) {
  return WrittenFile(whole_text(*layout_file([&] { return h5ad(matrix, context); }, context)));
}

WrittenFile written(const AnnotatedMatrix& matrix) {
  TestContext context;
  return written(matrix, context);
}

std::string attribute(const WrittenFile& file, std::initializer_list<std::string> path, const char* name) {
  const Attributes attributes = file.group(path)->attributes();
  const Json* value = attributes.find(name);
  return value ? to_json_text(*value) : "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(h5ad_files)

BOOST_AUTO_TEST_CASE(parts_have_anndatas_encoding) {
  TestContext context;
  const WrittenFile file = written(small_matrix(context));
  BOOST_TEST(attribute(file, {}, "encoding-type") == "\"anndata\"");
  BOOST_TEST(attribute(file, {"X"}, "encoding-type") == "\"csr_matrix\"");
  BOOST_TEST(attribute(file, {"X"}, "shape") == "[3,2]");
  BOOST_TEST(file.numbers<float>({"X", "data"}) == (std::vector<float>{1, 2.5}));
  BOOST_TEST(file.numbers<int32_t>({"X", "indices"}) == (std::vector<int32_t>{1, 0}));
  BOOST_TEST(file.numbers<int32_t>({"X", "indptr"}) == (std::vector<int32_t>{0, 1, 1, 2}));
  BOOST_TEST(attribute(file, {"obs"}, "column-order") == R"(["n","group","maybe","words"])");
  BOOST_TEST(file.texts({"obs", "_index"}) == (std::vector<std::string>{"c1", "c2", "c3"}));
  BOOST_TEST(file.texts({"var", "_index"}) == (std::vector<std::string>{"0", "1"}));
  BOOST_TEST(file.numbers<double>({"obsm", "X_pca"}).size() == 6u);
  for (const char* room : {"layers", "varm", "obsp", "varp", "uns"})
    BOOST_TEST(attribute(file, {room}, "encoding-type") == "\"dict\"");
}

BOOST_AUTO_TEST_CASE(columns_keep_their_missing_values_and_levels) {
  TestContext context;
  const WrittenFile file = written(small_matrix(context));
  BOOST_TEST(file.numbers<int64_t>({"obs", "n"}) == (std::vector<int64_t>{7, 8, 9}));
  BOOST_TEST(attribute(file, {"obs", "group"}, "ordered") == "true");
  BOOST_TEST(file.numbers<int32_t>({"obs", "group", "codes"}) == (std::vector<int32_t>{1, 0, -1}));
  BOOST_TEST(file.texts({"obs", "group", "categories"}) == (std::vector<std::string>{"a", "b"}));
  BOOST_TEST(attribute(file, {"obs", "maybe"}, "encoding-type") == "\"nullable-integer\"");
  BOOST_TEST(file.numbers<uint8_t>({"obs", "maybe", "mask"}) == (std::vector<uint8_t>{0, 1, 0}));
  BOOST_TEST(file.numbers<int32_t>({"obs", "words", "codes"}) == (std::vector<int32_t>{0, -1, 0}));
  BOOST_TEST(file.texts({"obs", "words", "categories"}) == (std::vector<std::string>{"x"}));
}

BOOST_AUTO_TEST_CASE(column_named_like_the_index_is_renamed) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  matrix.obs.columns = {{"_index_1", numbers<int64_t>({1, 2, 3})}, {"_index", numbers<int64_t>({7, 8, 9})}};
  const WrittenFile file(whole_text(*layout_file([&] { return h5ad(matrix, context.context); }, context)));
  BOOST_TEST(attribute(file, {"obs"}, "column-order") == R"(["_index_1","_index_2"])");
  BOOST_TEST(file.numbers<int64_t>({"obs", "_index_2"}) == (std::vector<int64_t>{7, 8, 9}));
  BOOST_TEST(file.texts({"obs", "_index"}) == (std::vector<std::string>{"c1", "c2", "c3"}));
  BOOST_TEST(context.warned("obs: the name of column _index in the .h5ad is _index_2"));
}

BOOST_AUTO_TEST_CASE(slashes_and_repeated_names_of_a_slide_become_unique) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  SlidePictures slide;
  slide.name = "a/b";
  const ArrayPtr pixels = numbers<uint8_t>(std::vector<uint8_t>(3, 9), {1, 1, 3});
  slide.images = {{"low/res", pixels}, {"low_res", pixels}};
  slide.factors = {{"f", 1}, {"f", 2}};
  slide.metadata = {{"", "x"}, {"..", "y"}};
  matrix.pictures = [&] { return std::vector{slide}; };
  const WrittenFile file = written(matrix, context);
  const auto names = [&](const char* part) {
    std::vector<std::string> all;
    for (const Member& member : file.group({"uns", "spatial", "a_b", part})->members())
      all.push_back(member.name);
    std::sort(all.begin(), all.end());
    return all;
  };
  using Names = std::vector<std::string>;
  BOOST_TEST(names("images") == (Names{"low_res", "low_res.1"}), boost::test_tools::per_element());
  BOOST_TEST(names("metadata") == (Names{"_", "_.."}), boost::test_tools::per_element());
  BOOST_TEST(file.numbers<double>({"uns", "spatial", "a_b", "scalefactors", "f.1"}) ==
             (std::vector<double>{2}));
}

BOOST_AUTO_TEST_CASE(not_a_time_is_missing_in_an_h5ad) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  for (const Kind kind : {Kind::time_point, Kind::time_span}) {
    DType type = number_type(kind, 8);
    type.time_unit = TimeUnit::day;
    matrix.obs.columns.push_back(
        {kind == Kind::time_point ? "point" : "span",
         std::make_shared<MemoryArray>(type, Shape{3}, elements_of<int64_t>({0, INT64_MIN, 1}))});
  }
  const WrittenFile file = written(matrix);
  BOOST_TEST(file.numbers<int32_t>({"obs", "point", "codes"}) == (std::vector<int32_t>{0, -1, 1}));
  BOOST_TEST(file.texts({"obs", "point", "categories"}) ==
             (std::vector<std::string>{"1970-01-01", "1970-01-02"}));
  BOOST_TEST(file.numbers<uint8_t>({"obs", "span", "mask"}) == (std::vector<uint8_t>{0, 1, 0}));
}

BOOST_AUTO_TEST_CASE(numeric_categories_stay_numbers) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  matrix.obs.columns = {
      {"dose", factor(numbers<int8_t>({1, 0, 1}), numbers<double>({0.5, 1e16}), 0, "/dose", context)}};
  const WrittenFile file = written(matrix);
  BOOST_TEST(file.numbers<double>({"obs", "dose", "categories"}) == (std::vector<double>{0.5, 1e16}));
  BOOST_TEST(attribute(file, {"obs", "dose"}, "ordered") == "false");
}

BOOST_AUTO_TEST_CASE(an_index_outside_of_the_matrix_is_damage) {
  TestContext context;
  for (const int32_t index : {2, -1}) {
    AnnotatedMatrix matrix = small_matrix(context);
    std::get<SparseMatrix>(matrix.x).index = numbers<int32_t>({1, index});
    BOOST_TEST(message_of([&] { written(matrix); }) == fmt::format("column {} is not below 2", index));
  }
}

BOOST_AUTO_TEST_CASE(a_missing_whole_number_of_a_matrix_is_refused) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  ArrayPtr& values = std::get<SparseMatrix>(matrix.x).value;
  const auto all_missing = [](const Elements& elements, std::vector<uint8_t>& missing) {
    missing.assign(elements.count, 1);
  };
  values = with_missing(numbers<int32_t>({1, 2}), all_missing);
  BOOST_TEST(message_of([&] { written(matrix); }).find("with missing values") != std::string::npos);
  values = with_missing(numbers<double>({1, 2}), all_missing);
  BOOST_TEST(std::isnan(written(matrix).numbers<double>({"X", "data"})[0]));
}

BOOST_AUTO_TEST_CASE(mismatched_parts_are_damage) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  matrix.genes = 5;
  BOOST_TEST(message_of([&] { written(matrix); }).find("/X is 3 by 2, expected 3 by 5") != std::string::npos);
  matrix = small_matrix(context);
  matrix.obs.columns.push_back({"short", numbers<int>({1})});
  BOOST_TEST(message_of([&] { written(matrix); }).find("column short has 1 values for 3 rows") !=
             std::string::npos);
}

// Later columns with the same name get `.1`, `.2`, ….
BOOST_AUTO_TEST_CASE(duplicate_column_name_gets_a_number_in_an_h5ad) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  matrix.obs.columns = {{"n", numbers<int64_t>({1, 2, 3})}, {"n", numbers<int64_t>({4, 5, 6})}};
  const auto file = written(matrix, context);
  BOOST_TEST(file.numbers<int64_t>({"obs", "n.1"}) == (std::vector<int64_t>{4, 5, 6}));
  BOOST_TEST(context.warned("/obs: the column name n is repeated; this one becomes n.1"));
}

BOOST_AUTO_TEST_CASE(unsupported_content_is_left_out) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  const ArrayPtr column = numbers<int64_t>({1, 2, 3});
  matrix.obs.columns = {{"nul", text_array({"a", std::string("b\0c", 3), "d"})},
                        {"good", column},
                        {std::string("n\0", 2), column},
                        {"good/below", column}};
  SparseMatrix texts;
  texts.rows = 3;
  texts.columns = 2;
  texts.by_row = true;
  texts.value = text_array({"x"});
  texts.index = numbers<int32_t>({0});
  texts.pointer = numbers<int32_t>({0, 1, 1, 1});
  matrix.layers = {{"texts", texts}};
  const auto file = written(matrix, context);
  BOOST_TEST(file.numbers<int64_t>({"obs", "good"}) == (std::vector<int64_t>{1, 2, 3}));
  BOOST_TEST(context.warned("/obs/nul: not in the .h5ad: text 1 contains a NUL"));
  BOOST_TEST(context.warned("cannot be a name in an HDF5 file"));
  BOOST_TEST(context.warned("/obs/good/below: not in the .h5ad: /obs/good already exists"));
  BOOST_TEST(context.warned("/layers/texts: not in the .h5ad: a sparse matrix of"));
  matrix.layers.clear();
  matrix.x = texts;
  BOOST_TEST(message_of([&] { written(matrix); }).find("a sparse matrix of") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(data_of_an_unknown_codec_are_not_left_out) {
  const ArrayPtr broken = std::make_shared<BrokenArray>(text_type(), undecodable("codec x"));
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  matrix.obs.columns = {{"note", broken}};
  BOOST_TEST(message_of([&] { written(matrix, context); }).find("codec x") != std::string::npos);
  matrix = small_matrix(context);
  SparseMatrix counts;
  counts.rows = 3;
  counts.columns = 2;
  counts.error = undecodable("codec y");
  matrix.layers = {{"counts", counts}};
  BOOST_TEST(message_of([&] { written(matrix, context); }).find("codec y") != std::string::npos);
  matrix.layers = {{"counts", undecodable("codec z")}};
  BOOST_TEST(message_of([&] { written(matrix, context); }).find("codec z") != std::string::npos);
}

// Tables with exchanged sides: anndata refuses such a file.
BOOST_AUTO_TEST_CASE(tables_of_mismatched_length_are_damage) {
  TestContext context;
  AnnotatedMatrix matrix = small_matrix(context);
  std::swap(matrix.obs, matrix.var);
  BOOST_TEST(message_of([&] { written(matrix); }).find("/obs has 2 rows, expected 3") != std::string::npos);
  matrix = small_matrix(context);
  matrix.var.rows = 1;
  BOOST_TEST(message_of([&] { written(matrix); }).find("/var has 1 rows, expected 2") != std::string::npos);
}

// A missing name is `NA`. An empty one would be another name.
BOOST_AUTO_TEST_CASE(a_missing_name_is_spelled_as_in_the_text) {
  TestContext context;
  const auto second_missing = [](ArrayPtr values) {
    return with_missing(std::move(values),
                        [](const Elements&, std::vector<uint8_t>& missing) { missing.at(1) = 1; });
  };
  AnnotatedMatrix matrix = small_matrix(context);
  matrix.obs.columns.clear();
  for (const ArrayPtr& names : {text_array({"a", "b", "c"}), text_array({"a", "", "c"})}) {
    matrix.obs.row_names = second_missing(names);
    BOOST_TEST(written(matrix).texts({"obs", "_index"}) == (std::vector<std::string>{"a", "NA", "c"}));
  }
  matrix.obs.row_names = second_missing(numbers<int32_t>({7, 8, 9}));
  BOOST_TEST(written(matrix).texts({"obs", "_index"}) == (std::vector<std::string>{"7", "NA", "9"}));
}

// A matrix of an experiment with some missing integers has 64-bit reals in its `.h5ad`, with NaN for the
// missing ones.
BOOST_AUTO_TEST_CASE(a_matrix_of_a_format_with_missing_whole_numbers_is_of_reals) {
  TestContext context;
  const auto second_missing = [](ArrayPtr values) {
    return with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
      if (elements.count > 1) missing[1] = 1;
    });
  };
  AnnotatedMatrix matrix = small_matrix(context);
  matrix.marks_missing = true;
  const auto dense = [](ArrayPtr values) { return LabelledArray{std::move(values), nullptr, nullptr}; };
  std::get<SparseMatrix>(matrix.x).value = second_missing(numbers<int32_t>({-4, 2}));
  matrix.layers = {
      {"whole", dense(numbers<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2}))},
      {"truth", dense(second_missing(as_logical(numbers<int32_t>({0, 2, 3, 0, 1, 1}, {3, 2}))))}};
  const WrittenFile file = written(matrix);
  const std::vector<double> x = file.numbers<double>({"X", "data"});
  BOOST_TEST(x.at(0) == -4);
  BOOST_TEST(std::isnan(x.at(1)));
  BOOST_TEST(file.numbers<int32_t>({"layers", "whole"}) == (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  std::vector<double> truth = file.numbers<double>({"layers", "truth"});
  BOOST_TEST(std::isnan(truth.at(1)));
  truth[1] = -1;
  BOOST_TEST(truth == (std::vector<double>{0, -1, 1, 0, 1, 1}));
  matrix.layers = {
      {"large", dense(second_missing(numbers<int64_t>({(int64_t{1} << 53) + 1, 2, 3, 4, 5, 6}, {3, 2})))}};
  BOOST_TEST(message_of([&] { written(matrix); }).find("9007199254740993 with missing values") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(declared_row_count_is_not_trusted_for_names) {
  AnnotatedMatrix matrix;
  matrix.cells = matrix.obs.rows = uint64_t{1} << 36;
  BOOST_TEST(message_of([&] {
               written(matrix);
             }).find("68719476736 rows without names, more than 2147483647") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(declared_text_count_is_not_trusted) {
  struct Endless : Array {
    Endless() : Array(text_type(), {uint64_t{1} << 50}) {}
    Elements read(const Box&) const override { throw damaged("read"); }
  };
  TestContext context;
  BOOST_TEST(message_of([&] { measure_texts(Endless(), context); }).find("1125899906842624 texts, more") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
