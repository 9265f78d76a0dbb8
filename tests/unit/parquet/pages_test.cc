#include "formats/containers/parquet/pages.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/elements/element_text.h"
#include "formats/schemas/parquet/table.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/unit/parquet/sample_file.h"

namespace plainfs::parquet {
namespace {

using namespace std::string_view_literals;

// Returns the values of the first column, joined by blanks.
std::string values_of(const SampleFile& file, Context& context) {
  const std::string written = file.write();
  const ByteSpan bytes = as_byte_span(written);
  const TableFiles files = TableFiles::open(
      {{"test", std::make_shared<MemoryValue>(Bytes(bytes.begin(), bytes.end()))}}, "test", context);
  const ArrayPtr values = files.table().columns.at(0).values;
  const Elements elements = read_all(*values);
  std::string text;
  for (uint64_t i = 0; i < elements.count; ++i) {
    if (i > 0) text += ' ';
    append_plain(values->dtype(), elements, i, text);
  }
  return text;
}

void page_fault(const SampleFile& file, const char* words) {
  TestContext context;
  BOOST_CHECK_EXCEPTION(values_of(file, context), Error, mentions(words));
}

// A file of one optional column with a page of levels, and then values.
SampleFile optional_file(const std::string& levels, const std::string& values, int32_t rows) {
  SampleFile file = integers_file({});
  file.schema[0].repetition = 1;
  std::string body;
  append_little(body, levels.size(), 4);
  file.rows = rows;
  file.chunks[0].pages = {{body + levels + values, rows}};
  file.chunks[0].values = rows;
  return file;
}

BOOST_AUTO_TEST_SUITE(parquet_pages)

BOOST_AUTO_TEST_CASE(values_of_several_pages_follow_each_other) {
  TestContext context;
  SampleFile file = integers_file({1, 2});
  file.chunks[0].pages.push_back({{}, 0});  // a page without values
  file.chunks[0].pages.push_back({std::string("\3\0\0\0", 4), 1});
  file.rows = file.chunks[0].values = 3;
  BOOST_TEST(values_of(file, context) == "1 2 3");
}

BOOST_AUTO_TEST_CASE(range_of_rows_reads_its_pages) {
  TestContext context;
  SampleFile file = integers_file({1, 2});
  for (char value = 3; value < 9; ++value)
    file.chunks[0].pages.push_back({std::string(1, value) + std::string("\0\0\0", 3), 1});
  file.rows = file.chunks[0].values = 8;
  const std::string written = file.write();
  const ByteSpan bytes = as_byte_span(written);
  const TableFiles files = TableFiles::open(
      {{"test", std::make_shared<MemoryValue>(Bytes(bytes.begin(), bytes.end()))}}, "test", context);
  const ArrayPtr values = files.table().columns.at(0).values;
  BOOST_TEST(values->read(range(1, 2)).values<int32_t>()[1] == 3);
  BOOST_TEST(context.counters.chunks_decoded == 2U);
  BOOST_TEST(values->read(range(2, 1)).values<int32_t>()[0] == 3);
  BOOST_TEST(context.counters.chunks_decoded == 2U);
}

// A file with four pages of two values, and an offset index.
SampleFile indexed_file(const std::function<void(std::vector<SamplePlace>& places)>& index) {
  SampleFile file = integers_file({});
  file.chunks[0].pages.clear();
  for (char value = 1; value < 8; value += 2) {
    std::string body;
    append_little(body, static_cast<uint64_t>(value), 4);
    append_little(body, static_cast<uint64_t>(value) + 1, 4);
    file.chunks[0].pages.push_back({body, 2});
  }
  file.rows = file.chunks[0].values = 8;
  file.chunks[0].index = index;
  return file;
}

BOOST_AUTO_TEST_CASE(offset_index_places_the_pages) {
  TestContext context;
  BOOST_TEST(values_of(indexed_file([](std::vector<SamplePlace>&) {}), context) == "1 2 3 4 5 6 7 8");
}

BOOST_AUTO_TEST_CASE(offset_index_that_does_not_fit_is_not_used) {
  using Places = std::vector<SamplePlace>;
  const std::vector<std::function<void(Places&)>> changes{
      [](Places& places) { std::swap(places[1], places[2]); },
      [](Places& places) { places[0].row = 1; },
      [](Places& places) { places[3].row = 9; },
      [](Places& places) { places[2].size = INT32_MAX; },
      [](Places& places) { places[2].size = 0; },
      [](Places& places) { places[3].offset = INT64_MAX; },
      [](Places& places) { places[0].offset = 1; },
      [](Places& places) { places[1].row = -1; },
      [](Places& places) { places.clear(); },
      [](Places& places) { places[0].offset += 3; },
  };
  for (const auto& change : changes) {
    TestContext context;
    BOOST_TEST(values_of(indexed_file(change), context) == "1 2 3 4 5 6 7 8");
  }
}

BOOST_AUTO_TEST_CASE(offset_index_with_other_rows_is_damaged) {
  page_fault(indexed_file([](std::vector<SamplePlace>& places) { places[1].row = 3; }),
             "a page with 2 values, expected 3");
  page_fault(indexed_file([](std::vector<SamplePlace>& places) { places.pop_back(); }),
             "a page with 2 values, expected 4");
  page_fault(indexed_file([](std::vector<SamplePlace>& places) { places[2].size -= 1; }),
             "row group 0: the page at");
}

BOOST_AUTO_TEST_CASE(levels_mark_missing_values) {
  TestContext context;
  const std::string two("\5\0\0\0\7\0\0\0", 8);
  BOOST_TEST(values_of(optional_file("\x03\x05", two, 3), context) == "5 NA 7");
  BOOST_TEST(values_of(optional_file("\x04\x01", two, 2), context) == "5 7");
  BOOST_TEST(values_of(optional_file(std::string("\x04\0", 2), "", 2), context) == "NA NA");
}

BOOST_AUTO_TEST_CASE(dictionary_page_is_used_and_then_left) {
  TestContext context;
  SampleFile file = integers_file({});
  file.chunks[0].pages = {{std::string("\x0a\0\0\0\x14\0\0\0", 8), 2, 0, true},
                          {"\x01\x03\x06", 3, 8},
                          {std::string("\x09\0\0\0", 4), 1, 0}};
  file.chunks[0].has_dictionary = true;
  file.rows = file.chunks[0].values = 4;
  BOOST_TEST(values_of(file, context) == "10 20 20 9");
}

BOOST_AUTO_TEST_CASE(second_version_has_levels_without_length) {
  TestContext context;
  SampleFile file = integers_file({});
  file.schema[0].repetition = 1;
  SamplePage page{std::string("\x03\x05\5\0\0\0\7\0\0\0", 10), 3};
  page.is_v2 = true;
  page.levels = 2;
  page.missing = 1;
  file.chunks[0].pages = {page};
  file.rows = file.chunks[0].values = 3;
  BOOST_TEST(values_of(file, context) == "5 NA 7");
  file.chunks[0].pages[0].missing = 2;
  page_fault(file, "1 missing values, expected 2");
  file.chunks[0].pages[0].levels = 11;
  page_fault(file, "11 bytes of levels in a page of 10");
}

BOOST_AUTO_TEST_CASE(ranges_of_chunks_are_checked) {
  for (const auto& [offset, words] :
       std::vector<std::pair<int64_t, const char*>>{{0, "are not within the data"},
                                                    {INT64_MAX, "are not within the data"},
                                                    {40, "are not within the data"}}) {
    SampleFile file = integers_file({1, 2});
    file.chunks[0].offset = offset;
    page_fault(file, words);
  }
  for (const int64_t size : {int64_t{1} << 50, INT64_MAX}) {
    SampleFile file = integers_file({1, 2});
    file.chunks[0].size = size;
    page_fault(file, "are not within the data");
  }
  SampleFile file = integers_file({1, 2});
  file.chunks[0].size = 3;
  page_fault(file, "row group 0: the header of a page");
}

BOOST_AUTO_TEST_CASE(counts_of_values_are_checked) {
  SampleFile file = integers_file({1, 2});
  file.chunks[0].values = 3;
  page_fault(file, "3 values for 2 rows");
  file.rows = 3;
  page_fault(file, "its pages have 2 values, expected 3");
  file = integers_file({1, 2});
  file.rows = file.chunks[0].values = 1;
  page_fault(file, "more than its 1 values");
  file.rows = file.chunks[0].values = int64_t{1} << 62;
  page_fault(file, "its pages have 2 values");
  file = integers_file({1, 2});
  file.chunks[0].pages[0].values = -1;
  page_fault(file, "a page with -1 values");
}

BOOST_AUTO_TEST_CASE(stated_sizes_take_no_memory) {
  SampleFile file = integers_file({1, 2});
  file.chunks[0].pages[0].stated_size = INT32_MAX;
  for (const int codec : {0, 1, 2, 5, 7}) {
    file.chunks[0].codec = codec;
    page_fault(file, codec == 2 || codec > 4 ? "unpack to" : "expected 2147483647");
  }
  file.chunks[0].codec = 6;
  page_fault(file, "needs 2147483647 bytes of memory");
  file = integers_file({1, 2});
  file.chunks[0].pages[0].stated_packed = 1 << 20;
  page_fault(file, "and its column ends after 8");
}

BOOST_AUTO_TEST_CASE(rows_of_one_run_are_bounded) {
  // Two billion indices in a page of a few bytes.
  SampleFile file = integers_file({});
  file.chunks[0].pages = {{std::string("\1\0\0\0", 4), 1, 0, true},
                          {std::string("\0\xfe\xff\xff\xff\x0f", 6), INT32_MAX, 8}};
  file.chunks[0].has_dictionary = true;
  file.rows = file.chunks[0].values = INT32_MAX;
  TestContext context;
  const std::string written = file.write();
  const ByteSpan bytes = as_byte_span(written);
  const TableFiles files = TableFiles::open(
      {{"test", std::make_shared<MemoryValue>(Bytes(bytes.begin(), bytes.end()))}}, "test", context);
  BOOST_CHECK_EXCEPTION(files.table().columns[0].values->read(range(0, 1)), Error,
                        mentions("bytes of memory"));
}

BOOST_AUTO_TEST_CASE(unknown_codecs_and_brotli_are_named) {
  SampleFile file = integers_file({1});
  file.chunks[0].codec = 4;
  page_fault(file, "compressed by brotli");
  file.chunks[0].codec = 3;
  page_fault(file, "compressed by LZO");
  file.chunks[0].codec = 77;
  page_fault(file, "compressed by the codec 77");
}

BOOST_AUTO_TEST_CASE(old_lz4_has_frames_of_hadoop_or_none) {
  const std::string block(
      "\x40"
      "abcd");  // four literals
  const auto unpacked = [](const std::string& bytes) {
    return std::string(as_text(decompress(static_cast<int>(Codec::lz4_framed), as_byte_span(bytes), 4)));
  };
  BOOST_TEST(unpacked(block) == "abcd");
  BOOST_TEST(unpacked(std::string("\0\0\0\4\0\0\0\5", 8) + block) == "abcd");
  const std::string half(
      "\x20"
      "ab"),
      other(
          "\x20"
          "cd");
  BOOST_TEST(unpacked(std::string("\0\0\0\4\0\0\0\3", 8) + half + std::string("\0\0\0\3", 4) + other) ==
             "abcd");
  BOOST_CHECK_EXCEPTION(unpacked("\x04\x22\x4d\x18zzzz"), Error, mentions("an LZ4 frame"));
  BOOST_CHECK_EXCEPTION(unpacked("zzzz"), Error, mentions("lz4"));
}

BOOST_AUTO_TEST_CASE(header_longer_than_its_bytes_is_not_read_yet) {
  const std::string page = page_bytes({"abc", 1});
  for (size_t size = 0; size + 3 < page.size(); ++size)
    BOOST_TEST(!read_page_header(as_byte_span(page).first(size), false).has_value());
  const std::optional<PageHeader> header = read_page_header(as_byte_span(page), false);
  BOOST_TEST_REQUIRE(header.has_value());
  BOOST_TEST(header->header_size + 3 == page.size());
  BOOST_TEST(header->size == 3U);
  BOOST_CHECK_EXCEPTION(read_page_header(as_byte_span(page).first(5), true), Error,
                        mentions("the header of a page"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::parquet
