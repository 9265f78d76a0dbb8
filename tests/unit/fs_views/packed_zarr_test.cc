// The compressed form of anndata.zarr/. tests/commands/written_zarr_test.py reads its values back.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <map>

#include "fs/views/anndata/anndata_files.h"
#include "tests/support/listed_files.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/unit/fs_layout/memory_sink.h"

namespace plainfs {

namespace {

using Texts = std::map<std::string, std::string>;

Texts packed_texts(const PackedFolder& folder) {
  Texts texts;
  for (size_t i = 0; i < folder.files().size(); ++i) {
    MemorySink sink;
    uint64_t generated = 0;
    const uint64_t size = folder.write(i, sink, [&](uint64_t bytes) { generated += bytes; });
    BOOST_TEST(size == sink.text.size());
    BOOST_TEST(generated == folder.files()[i].bytes, folder.files()[i].path);
    BOOST_TEST(texts.emplace(folder.files()[i].path, sink.text).second, folder.files()[i].path);
  }
  return texts;
}

uint64_t word_at(const std::string& text, size_t at) {
  uint64_t word = 0;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

struct PackedFixture {
  TestContext context;

  AnnotatedMatrix matrix_of(ArrayPtr values) {
    AnnotatedMatrix matrix;
    matrix.cells = matrix.obs.rows = values->shape()[0];
    matrix.obsm = {{"a", LabelledArray{std::move(values), nullptr, nullptr}}};
    return matrix;
  }
  std::unique_ptr<const PackedFolder> pack(const AnnotatedMatrix& matrix, const FolderPacking& packing) {
    return packed_anndata_zarr([matrix] { return matrix; }, context)(packing);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(packed_zarr, PackedFixture)

BOOST_AUTO_TEST_CASE(a_wide_array_is_in_tiles_of_a_shard) {
  constexpr uint64_t kRows = 2000, kColumns = 700, kTileRows = 1024, kTileColumns = 256;
  std::vector<float> values(kRows * kColumns);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Texts texts = packed_texts(*pack(matrix_of(numbers(values, {kRows, kColumns})), {3, 0, 0}));
  const std::string& shard = texts.at("obsm/a/c/0/0");
  constexpr size_t kTiles = 6, kTileBytes = kTileRows * kTileColumns * 4;
  BOOST_TEST(shard.size() == kTiles * (kTileBytes + 16) + 4);
  const auto value = [&](uint64_t row, uint64_t column) {
    const size_t tile = row / kTileRows * 3 + column / kTileColumns;
    const size_t at = word_at(shard, shard.size() - 4 - (kTiles - tile) * 16);
    BOOST_TEST(word_at(shard, shard.size() - 4 - (kTiles - tile) * 16 + 8) == kTileBytes);
    float one = 0;
    std::memcpy(&one, shard.data() + at + (row % kTileRows * kTileColumns + column % kTileColumns) * 4,
                sizeof one);
    return one;
  };
  for (const auto& [row, column] :
       {std::pair<uint64_t, uint64_t>{0, 0}, {1023, 255}, {1024, 256}, {1999, 699}})
    BOOST_TEST(value(row, column) == values[row * kColumns + column]);
  BOOST_TEST(value(2000, 0) == 0.0f);  // filled up
  BOOST_TEST(value(0, 700) == 0.0f);
}

BOOST_AUTO_TEST_CASE(the_last_shard_has_slots_without_a_chunk) {
  std::vector<int32_t> values(300'000);  // chunks of 75,000, three in a shard
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  const Texts texts = packed_texts(*pack(matrix_of(numbers(values)), {3, 0, 950'000}));
  BOOST_TEST(texts.contains("obsm/a/c/0"));
  const std::string& last = texts.at("obsm/a/c/1");
  BOOST_TEST(last.size() == 300'000u + 3 * 16 + 4);
  BOOST_TEST(word_at(last, 300'000 + 8) == 300'000u);
  BOOST_TEST(word_at(last, 300'000 + 16) == UINT64_MAX);
  int32_t value = 0;
  std::memcpy(&value, last.data() + 299'996, sizeof value);
  BOOST_TEST(value == 299'999);
}

BOOST_AUTO_TEST_CASE(version_2_without_compression_is_the_directory) {
  AnnotatedMatrix matrix = matrix_of(numbers(std::vector<int16_t>(131'073, 7)));
  matrix.obs.columns = {{"t", text_array(std::vector<std::string>(131'073, "x"))}};
  const ListEntries directory = anndata_zarr([matrix] { return matrix; }, context);
  BOOST_CHECK(packed_texts(*pack(matrix, {2, 0, 0})) == listed_texts(directory));
}

BOOST_AUTO_TEST_CASE(documents_of_the_root_come_first) {
  const AnnotatedMatrix matrix = matrix_of(numbers(std::vector<int16_t>{1, 2}));
  BOOST_TEST(pack(matrix, FolderPacking())->files().front().path == "zarr.json");
  BOOST_TEST(pack(matrix, {2, std::nullopt, 0})->files().front().path == ".zmetadata");
  BOOST_CHECK_EXCEPTION(pack(matrix, {4, std::nullopt, 0}), Error, mentions("Zarr of version 4"));
}

// It would take the place of a document.
BOOST_AUTO_TEST_CASE(a_name_of_a_document_is_refused) {
  AnnotatedMatrix matrix = matrix_of(numbers(std::vector<int16_t>{1, 2}));
  matrix.obs.columns = {{"zarr.json", numbers(std::vector<int16_t>{1, 2})}};
  BOOST_CHECK_EXCEPTION(pack(matrix, {3, std::nullopt, 0}), Error,
                        mentions("\"zarr.json\" cannot be a name"));
  BOOST_CHECK_NO_THROW(pack(matrix, {2, std::nullopt, 0}));
}

BOOST_AUTO_TEST_CASE(an_element_that_cannot_be_shown_is_refused_at_once) {
  AnnotatedMatrix matrix = matrix_of(numbers(std::vector<int16_t>{1, 2}));
  matrix.obs.columns = {{".zattrs", numbers(std::vector<int16_t>{1, 2})}};
  BOOST_CHECK_EXCEPTION(pack(matrix, FolderPacking()), Error,
                        mentions("\".zattrs\" cannot be a name in Zarr"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
