#include "fs/views/anndata/anndata_files.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/sparse/column_order.h"
#include "tests/support/listed_files.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {

namespace {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string vlen(const std::vector<std::string>& texts) {
  std::string bytes = bytes_of(std::vector<uint32_t>{static_cast<uint32_t>(texts.size())});
  for (const std::string& text : texts)
    bytes += bytes_of(std::vector<uint32_t>{static_cast<uint32_t>(text.size())}) + text;
  return bytes;
}

ArrayPtr second_missing(ArrayPtr values) {
  return with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
    if (elements.count > 1) missing[1] = 1;
  });
}

SparseMatrix small_sparse() {
  SparseMatrix x;
  x.rows = 3;
  x.columns = 2;
  x.by_row = true;
  x.value = numbers<float>({1, 2, 3});
  x.index = numbers<uint32_t>({1, 0, 1});
  x.pointer = numbers<uint64_t>({0, 1, 1, 3});
  return x;
}

// 3 cells, 2 genes.
AnnotatedMatrix small_matrix() {
  AnnotatedMatrix generated;
  generated.cells = 3;
  generated.genes = 2;
  generated.x = small_sparse();
  generated.obs.rows = 3;
  generated.obs.row_names = text_array({"c1", "c2", "c3"});
  generated.obs.columns = {{"n", numbers<int64_t>({7, 8, 9})}};
  generated.var.rows = 2;
  return generated;
}

struct Fixture {
  TestContext context;

  ListEntries zarr(AnnotatedMatrix matrix, ZarrLimits limits = {}) {
    return anndata_zarr([matrix = std::move(matrix)] { return matrix; }, context, limits);
  }
  // Returns a zarr with one array in obsm.
  ListEntries zarr_of(ArrayPtr values, ZarrLimits limits = {}) {
    AnnotatedMatrix matrix;
    matrix.cells = matrix.obs.rows = values->shape()[0];
    matrix.obsm = {{"a", LabelledArray{std::move(values), nullptr, nullptr}}};
    return zarr(std::move(matrix), limits);
  }
  ListEntries zarr_of_columns(std::vector<Column> columns) {
    AnnotatedMatrix matrix = small_matrix();
    matrix.obs.columns = std::move(columns);
    return zarr(std::move(matrix));
  }

  // Checks that the place of content that cannot be shown has an array that no reader gets a value from,
  // including by consolidated metadata.
  void check_is_unreadable(const ListEntries& generated, const std::string& path, const char* why) {
    const std::string document = text_at(generated, path + "/.zarray");
    BOOST_TEST(document.find("\"dtype\": \"|V1\"") != std::string::npos);
    BOOST_TEST(document.find("\"shape\": []") != std::string::npos);
    BOOST_TEST(text_at(generated, ".zmetadata").find('"' + path + "/.zarray\"") != std::string::npos);
    const auto chunk = found(generated, path + "/0").open();
    BOOST_CHECK_EXCEPTION(chunk->size(), Error, mentions(why));
    BOOST_CHECK_EXCEPTION(chunk->read(0, 1), Error, mentions(why));
    BOOST_CHECK_THROW(found(generated, path + "/.zgroup"), std::out_of_range);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(anndata_zarr_files, Fixture)

BOOST_AUTO_TEST_CASE(chunk_of_numbers_is_padded) {
  std::vector<int16_t> values(131073);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int16_t>(i);
  const ListEntries generated = zarr_of(numbers(values));
  BOOST_TEST(text_at(generated, "obsm/a/0") ==
             bytes_of(std::vector<int16_t>(values.begin(), values.begin() + 131072)));
  std::vector<int16_t> last(131072);
  last[0] = values[131072];
  const std::string want = bytes_of(last);
  const auto file = found(generated, "obsm/a/1").open();
  BOOST_TEST(file->known_size().value_or(0) == 2u * 131072);
  BOOST_CHECK(whole_text(*file) == want);
  std::mt19937_64 random(1);
  BOOST_TEST(slices_match(*file, want, random, 200));
  BOOST_CHECK_THROW(found(generated, "obsm/a/2"), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(chunk_of_texts_is_padded) {
  std::vector<std::string> texts;
  for (int i = 0; i < 65537 + 2000; ++i) texts.push_back(std::string(i % 7, 'x') + std::to_string(i));
  const ListEntries generated = zarr_of(text_array(texts));
  const std::vector<std::string> first(texts.begin(), texts.begin() + 65536);
  std::vector<std::string> last(texts.begin() + 65536, texts.end());
  last.resize(65536);
  std::mt19937_64 random(2);
  for (const auto& [path, want] : {std::pair("obsm/a/0", vlen(first)), std::pair("obsm/a/1", vlen(last))}) {
    const auto file = found(generated, path).open();
    BOOST_CHECK(whole_text(*file) == want);
    BOOST_TEST(slices_match(*file, want, random, 200));
  }
}

// Even if a chunk does not begin at a unit of measurement.
BOOST_AUTO_TEST_CASE(texts_of_any_chunk_are_found) {
  std::vector<std::string> texts;
  for (int i = 0; i < 5000; ++i) texts.push_back(std::string(i % 11, 'y'));
  ZarrLimits limits;
  limits.texts = 1500;
  const ListEntries generated = zarr_of(text_array(texts), limits);
  std::mt19937_64 random(3);
  for (size_t chunk = 0; chunk < 4; ++chunk) {
    std::vector<std::string> want(texts.begin() + chunk * 1500,
                                  texts.begin() + std::min<size_t>(5000, (chunk + 1) * 1500));
    want.resize(1500);
    const auto file = found(generated, "obsm/a/" + std::to_string(chunk)).open();
    BOOST_CHECK(whole_text(*file) == vlen(want));
    BOOST_TEST(slices_match(*file, vlen(want), random, 100));
  }
}

BOOST_AUTO_TEST_CASE(a_wide_array_is_in_tiles) {
  std::vector<float> values(5 * 300 * 2);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  ZarrLimits limits;
  limits.bytes = 2 * 256 * 2 * 4;  // two lines
  const ListEntries generated = zarr_of(numbers(values, {5, 300, 2}), limits);
  BOOST_TEST(text_at(generated, "obsm/a/.zarray")
                 .find("\"chunks\": [\n        2,\n        256,\n        2\n    ]") != std::string::npos);
  std::mt19937_64 random(4);
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 2; ++column) {
      std::vector<float> tile(2 * 256 * 2);
      for (size_t i = 0; i < tile.size(); ++i) {
        const size_t at_row = row * 2 + i / 512, at_column = column * 256 + i % 512 / 2;
        if (at_row < 5 && at_column < 300) tile[i] = values[(at_row * 300 + at_column) * 2 + i % 2];
      }
      const auto file = found(generated, fmt::format("obsm/a/{}.{}.0", row, column)).open();
      BOOST_CHECK(whole_text(*file) == bytes_of(tile));
      BOOST_TEST(slices_match(*file, bytes_of(tile), random, 100));
    }
  }
  BOOST_CHECK_THROW(found(generated, "obsm/a/0.2.0"), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(column_major_array_is_transposed) {
  const ArrayPtr stored = as_column_major(numbers<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}));
  AnnotatedMatrix matrix;
  matrix.cells = matrix.obs.rows = 3;
  matrix.obsm = {{"a", LabelledArray{stored, nullptr, nullptr}}};
  BOOST_TEST(text_at(zarr(matrix), "obsm/a/0.0") == bytes_of<int32_t>({1, 4, 2, 5, 3, 6}));
}

BOOST_AUTO_TEST_CASE(arrays_without_elements_have_no_chunk) {
  AnnotatedMatrix matrix;
  matrix.obsm = {{"a", LabelledArray{numbers<float>({}, {0, 4}), nullptr, nullptr}},
                 {"t", LabelledArray{text_array({}), nullptr, nullptr}}};
  const auto files = listed_texts(zarr(matrix));
  BOOST_TEST(files.at("obsm/a/.zarray").find("\"chunks\": [\n        1,\n        4\n    ]") !=
             std::string::npos);
  BOOST_TEST(files.at("obsm/t/.zarray").find("\"chunks\": [\n        1\n    ]") != std::string::npos);
  BOOST_TEST(files.count("obsm/a/0.0") == 0u);
  BOOST_TEST(files.count("obsm/t/0") == 0u);
}

BOOST_AUTO_TEST_CASE(codes_are_as_narrow_as_pandas_has_them) {
  for (const auto& [levels, dtype] :
       {std::pair(126, "|i1"), std::pair(127, "<i2"), std::pair(32766, "<i2"), std::pair(32767, "<i4")}) {
    std::vector<std::string> names;
    for (int i = 0; i < levels; ++i) names.push_back("l" + std::to_string(i));
    const ArrayPtr codes = numbers<int32_t>({levels - 1, -1, 0});
    const ListEntries generated =
        zarr_of_columns({{"f", factor(codes, text_array(names), 0, "/f", context)}});
    BOOST_TEST(text_at(generated, "obs/f/codes/.zarray").find(std::string("\"dtype\": \"") + dtype + "\"") !=
               std::string::npos);
    const std::string want = dtype[2] == '1'   ? bytes_of<int8_t>({static_cast<int8_t>(levels - 1), -1, 0})
                             : dtype[2] == '2' ? bytes_of<int16_t>({static_cast<int16_t>(levels - 1), -1, 0})
                                               : bytes_of<int32_t>({levels - 1, -1, 0});
    BOOST_TEST(text_at(generated, "obs/f/codes/0") == want);
  }
}

BOOST_AUTO_TEST_CASE(missing_values_are_marked_as_in_an_h5ad) {
  const ListEntries generated = zarr_of_columns({{"maybe", second_missing(numbers<int32_t>({1, 2, 3}))},
                                                 {"words", second_missing(text_array({"x", "y", "x"}))},
                                                 {"real", second_missing(numbers<double>({1, 2, 3}))}});
  const auto files = listed_texts(generated);
  BOOST_TEST(files.at("obs/maybe/mask/0") == std::string("\0\1\0", 3));
  BOOST_TEST(files.at("obs/maybe/values/0").substr(8) == bytes_of<int32_t>({3}));
  BOOST_TEST(files.at("obs/words/codes/0") == bytes_of<int8_t>({0, -1, 0}));
  BOOST_TEST(files.at("obs/words/categories/0") == vlen({"x"}));
  BOOST_TEST(files.at("obs/real/0").substr(8, 8) ==
             bytes_of<double>({std::numeric_limits<double>::quiet_NaN()}));
}

// A missing name is `NA`.
BOOST_AUTO_TEST_CASE(missing_name_is_na_in_zarr) {
  AnnotatedMatrix matrix = small_matrix();
  matrix.obs.row_names = second_missing(text_array({"c1", "c2", "c3"}));
  BOOST_TEST(text_at(zarr(matrix), "obs/_index/0") == vlen({"c1", "NA", "c3"}));
  matrix.obs.row_names = second_missing(numbers<int32_t>({1, 2, 3}));
  BOOST_TEST(text_at(zarr(matrix), "obs/_index/0") == vlen({"1", "NA", "3"}));
}

// Only requested data are looked up.
BOOST_AUTO_TEST_CASE(listing_all_of_it_reads_no_data) {
  const auto chunked = [&](ArrayPtr array, Shape shape) {
    return std::make_shared<ChunkedCopy>(context, std::move(array), std::move(shape));
  };
  SparseMatrix x = small_sparse();
  const auto value = chunked(x.value, {1});
  const auto index = chunked(x.index, {1});
  const auto names = chunked(text_array({"c1", "c2", "c3"}), {1});
  const auto column = chunked(numbers<int64_t>({7, 8, 9}), {1});
  x.value = value;
  x.index = index;
  AnnotatedMatrix matrix = small_matrix();
  matrix.x = x;
  matrix.obs.row_names = names;
  matrix.obs.columns = {{"n", column}};
  const ListEntries generated = zarr(matrix);
  for (const auto& [path, entry] : listed_files(generated)) {
    const auto file = entry.open();
    const bool is_text = path == "obs/_index/0" || path == "var/_index/0";
    BOOST_TEST((file->known_size().has_value() != (is_text || path == ".zmetadata")), path);
    if (!is_text) file->size();
  }
  for (const auto& array : {value, index, names, column}) BOOST_TEST(array->chunks_decoded() == 0u);
  text_at(generated, "obs/n/0");
  BOOST_TEST(column->chunks_decoded() == 3u);
  BOOST_TEST(value->chunks_decoded() == 0u);
}

BOOST_AUTO_TEST_CASE(matrix_is_generated_when_its_directory_is_opened) {
  int generated = 0;
  const ListEntries list = anndata_zarr(
      [&] {
        ++generated;
        return small_matrix();
      },
      context);
  BOOST_TEST(generated == 0);
  list();
  list();
  BOOST_TEST(generated == 1);
}

// The fault may pass: the documents exist, and report it until then.
BOOST_AUTO_TEST_CASE(temporary_fault_fails_the_documents) {
  bool fails = true;
  const ListEntries list = anndata_zarr(
      [&] {
        if (fails) throw unreadable("the disk fails");
        return small_matrix();
      },
      context);
  std::vector<std::string> names;
  for (const ViewEntry& entry : list()) {
    names.push_back(entry.name);
    BOOST_TEST(entry.fault.has_value() == (entry.name != ".zmetadata"));
    BOOST_CHECK_EXCEPTION(entry.open()->size(), Error, mentions("the disk fails"));
    BOOST_CHECK_EXCEPTION(entry.open()->read(0, 1), Error, mentions("the disk fails"));
  }
  BOOST_TEST(names == (std::vector<std::string>{".zarray", ".zattrs", ".zgroup", ".zmetadata"}),
             boost::test_tools::per_element());
  fails = false;
  BOOST_TEST(text_at(list, ".zgroup") == "{\n    \"zarr_format\": 2\n}");
  BOOST_CHECK_THROW(found(list, ".zarray"), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(x_by_column_is_found_and_not_listed) {
  const ListEntries generated = zarr(small_matrix());
  const auto files = listed_texts(generated);
  for (const auto& [path, text] : files) BOOST_TEST(path.find("X_csc") == std::string::npos);
  BOOST_TEST(files.at(".zmetadata").find("X_csc") == std::string::npos);
  BOOST_TEST(text_at(generated, "layers/X_csc/.zattrs").find("csc_matrix") != std::string::npos);
  BOOST_TEST(text_at(generated, "layers/X_csc/data/0") == bytes_of<float>({2, 1, 3}));
  BOOST_TEST(text_at(generated, "layers/X_csc/indices/0") == bytes_of<int32_t>({2, 0, 2}));
  BOOST_TEST(text_at(generated, "layers/X_csc/indptr/0") == bytes_of<int32_t>({0, 1, 3}));
}

BOOST_AUTO_TEST_CASE(there_is_no_second_x_by_column) {
  const auto has_second = [&](const AnnotatedMatrix& matrix) {
    const auto layers = found(zarr(matrix), "layers").list();
    return std::any_of(layers.begin(), layers.end(),
                       [](const ViewEntry& entry) { return entry.is_unlisted; });
  };
  AnnotatedMatrix matrix = small_matrix();
  BOOST_TEST(has_second(matrix));
  matrix.layers = {{"X_csc", small_sparse()}};  // the store's own layer
  BOOST_TEST(!has_second(matrix));
  matrix.layers.clear();
  SparseMatrix by_columns = by_column(small_sparse(), context);
  matrix.x = by_columns;
  BOOST_TEST(!has_second(matrix));
  matrix.x = LabelledArray{numbers<float>({1, 2, 3, 4, 5, 6}, {3, 2}), nullptr, nullptr};
  BOOST_TEST(!has_second(matrix));
}

BOOST_AUTO_TEST_CASE(a_slash_is_a_group) {
  const ListEntries generated = zarr_of_columns({{"qc/deep", numbers<int8_t>({1, 2, 3})}});
  const auto files = listed_texts(generated);
  BOOST_TEST(files.at("obs/qc/.zgroup") == "{\n    \"zarr_format\": 2\n}");
  BOOST_TEST(files.count("obs/qc/.zattrs") == 0u);
  BOOST_TEST(files.at("obs/qc/deep/0") == bytes_of<int8_t>({1, 2, 3}));
  BOOST_TEST(files.at("obs/.zattrs").find("\"qc/deep\"") != std::string::npos);
}

// The other columns stay, and the order of the columns names it.
BOOST_AUTO_TEST_CASE(name_invalid_in_zarr_fails_its_column) {
  const ArrayPtr column = numbers<int8_t>({1, 2, 3});
  const std::vector<std::pair<std::string, std::string>> names = {
      {".zattrs", "%2Ezattrs"},
      {"..", "%2E."},
      {".", "%2E"},
      {"", "%00"},
      {"a//b", "a%2F%2Fb"},
      {"/a", "%2Fa"},
      {std::string(256, 'x'), std::string(200, 'x')},
      {std::string("a\0b", 3), "a%00b"}};
  for (const auto& [name, shown] : names) {
    const ListEntries generated = zarr_of_columns({{"good", column}, {name, column}});
    check_is_unreadable(generated, "obs/" + shown, "cannot be a name in Zarr");
    BOOST_TEST(text_at(generated, "obs/good/0") == bytes_of<int8_t>({1, 2, 3}));
    BOOST_TEST(text_at(generated, "obs/_index/0") == vlen({"c1", "c2", "c3"}));
    BOOST_TEST(text_at(generated, "X/data/0") == bytes_of<float>({1, 2, 3}));
  }
  const ListEntries up = zarr_of_columns({{"..", column}});
  BOOST_TEST(text_at(up, "obs/.zattrs").find("\"column-order\": [\n        \"..\"\n    ]") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(conflicting_name_fails_its_column) {
  const ArrayPtr column = numbers<int8_t>({1, 2, 3});
  const ListEntries below = zarr_of_columns({{"a", column}, {"a/b", column}});
  check_is_unreadable(below, "obs/a%2Fb", "a/b: a is not a group");
  BOOST_TEST(text_at(below, "obs/a/0") == bytes_of<int8_t>({1, 2, 3}));
  const ListEntries above = zarr_of_columns({{"a/b", column}, {"a", column}});
  check_is_unreadable(above, "obs/a~2", "a: a group of that name already exists");
  BOOST_TEST(text_at(above, "obs/a/b/0") == bytes_of<int8_t>({1, 2, 3}));
}

// No list of names accompanies a layer.
BOOST_AUTO_TEST_CASE(layer_with_a_name_invalid_in_zarr_is_unreadable) {
  AnnotatedMatrix matrix = small_matrix();
  matrix.layers = {{"..", small_sparse()}, {"counts", small_sparse()}};
  const ListEntries generated = zarr(matrix);
  check_is_unreadable(generated, "layers/%2E.", "cannot be a name in Zarr");
  BOOST_TEST(text_at(generated, "layers/counts/data/0") == bytes_of<float>({1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(non_utf8_column_name_fails_its_frame) {
  const ListEntries generated = zarr_of_columns({{"\xff", numbers<int8_t>({1, 2, 3})}});
  check_is_unreadable(generated, "obs", "not UTF-8");
  BOOST_TEST(text_at(generated, "X/data/0") == bytes_of<float>({1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(a_second_column_of_a_name_gets_a_number) {
  const ListEntries generated =
      zarr_of_columns({{"a", numbers<int8_t>({1, 2, 3})}, {"a", numbers<int8_t>({4, 5, 6})}});
  BOOST_TEST(text_at(generated, "obs/a/0") == bytes_of<int8_t>({1, 2, 3}));
  BOOST_TEST(text_at(generated, "obs/a.1/0") == bytes_of<int8_t>({4, 5, 6}));
  BOOST_TEST(text_at(generated, "obs/.zattrs").find("\"a.1\"") != std::string::npos);
  BOOST_TEST(context.warned("the column name a is repeated; this one becomes a.1"));
}

// Everything else stays readable, including by consolidated metadata.
BOOST_AUTO_TEST_CASE(damaged_part_fails_alone) {
  AnnotatedMatrix matrix = small_matrix();
  matrix.obs.columns.push_back({"short", numbers<int>({1})});
  matrix.layers = {{"broken", damaged("no indptr")}};
  const ListEntries generated = zarr(matrix);
  check_is_unreadable(generated, "obs/short", "column short has 1 values for 3 rows");
  check_is_unreadable(generated, "layers/broken", "no indptr");
  BOOST_TEST(text_at(generated, "obs/n/0") == bytes_of<int64_t>({7, 8, 9}));
  SparseMatrix x = small_sparse();
  x.index = numbers<uint32_t>({1, 0, 2});
  matrix.x = x;
  BOOST_CHECK_EXCEPTION(text_at(zarr(matrix), "X/indices/0"), Error, mentions("column 2 is not below 2"));
}

BOOST_AUTO_TEST_CASE(matrix_with_a_failed_conversion_is_unreadable) {
  const ListEntries generated =
      anndata_zarr([]() -> AnnotatedMatrix { throw damaged("obs has no rows"); }, context);
  BOOST_CHECK_EXCEPTION(text_at(generated, "0"), Error, mentions("obs has no rows"));
  BOOST_CHECK_THROW(found(generated, ".zgroup"), std::out_of_range);
}

// The shape and the type are known.
BOOST_AUTO_TEST_CASE(unreadable_texts_fail_as_a_chunk) {
  class Broken : public Array {
   public:
    Broken() : Array(text_type(), {3}) {}
    Elements read(const Box&) const override { throw damaged("the chunk is cut"); }
  };
  AnnotatedMatrix matrix = small_matrix();
  matrix.obs.row_names = std::make_shared<Broken>();
  const ListEntries generated = zarr(matrix);
  BOOST_TEST(text_at(generated, "obs/_index/.zarray").find("vlen-utf8") != std::string::npos);
  BOOST_TEST(text_at(generated, ".zmetadata").find("\"obs/_index/.zarray\"") != std::string::npos);
  BOOST_CHECK_EXCEPTION(text_at(generated, "obs/_index/0"), Error, mentions("the chunk is cut"));
}

BOOST_AUTO_TEST_CASE(an_array_of_too_many_chunks_is_unreadable) {
  class Vast : public Array {
   public:
    Vast() : Array(number_type(Kind::integer, 4), {uint64_t{1} << 40}) {}
    Elements read(const Box&) const override { throw damaged("not to be read"); }
  };
  check_is_unreadable(zarr_of(std::make_shared<Vast>()), "obsm/a", "8388608 chunks are too many");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
