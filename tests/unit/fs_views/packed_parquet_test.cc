// Parquet files with compressed pages, compared with uncompressed ones: the pages hold the same bytes.
#include <zstd.h>

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "fs/views/parquet/parquet_files.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/memory_sink.h"

namespace plainfs {
namespace {

// The part of Thrift's compact protocol that a page header uses.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view bytes) : bytes_(bytes) {}

  // Reads a struct. `sizes` gets the integers of the outermost one by their number.
  void read_struct(std::vector<int64_t>* sizes = nullptr) {
    for (int field = 0;;) {
      const auto head = static_cast<uint8_t>(bytes_.at(at_++));
      if (head == 0) return;
      const int type = head & 15;
      field = head >> 4 ? field + (head >> 4) : static_cast<int>(integer());
      if (type == 12) {
        read_struct();
        continue;
      }
      BOOST_REQUIRE_EQUAL(type, 5);  // i32
      const int64_t value = integer();
      if (sizes) sizes->resize(std::max<size_t>(sizes->size(), field + 1)), (*sizes)[field] = value;
    }
  }
  size_t place() const { return at_; }

 private:
  int64_t integer() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_.at(at_++));
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
    }
  }

  const std::string_view bytes_;
  size_t at_ = 0;
};

struct Pages {
  std::string contents;  // of all, one after another
  size_t count = 0;
  size_t largest = 0;
};

// Returns all pages of a file, which are between its magic and its footer.
Pages pages_of(const std::string& file, bool is_compressed) {
  uint32_t footer = 0;
  std::memcpy(&footer, file.data() + file.size() - 8, sizeof footer);
  BOOST_REQUIRE(file.starts_with("PAR1") && file.ends_with("PAR1"));
  Pages pages;
  const size_t end = file.size() - 8 - footer;
  for (size_t at = 4; at < end; ++pages.count) {
    HeaderReader header(std::string_view(file).substr(at, end - at));
    std::vector<int64_t> numbers;
    header.read_struct(&numbers);
    const auto plain = static_cast<size_t>(numbers.at(2)), stored = static_cast<size_t>(numbers.at(3));
    at += header.place();
    BOOST_REQUIRE(at + stored <= end);
    std::string content(plain, '\0');
    if (is_compressed)
      BOOST_TEST(ZSTD_decompress(content.data(), plain, file.data() + at, stored) == plain);
    else
      content = file.substr(at, stored);
    at += stored;
    pages.largest = std::max(pages.largest, plain);
    pages.contents += content;
  }
  return pages;
}

Table large_table(Context& context) {
  constexpr uint64_t kRows = 300'000;
  std::vector<int32_t> counts;
  std::vector<int8_t> codes;
  std::vector<std::string> names;
  for (uint64_t i = 0; i < kRows; ++i) {
    counts.push_back(static_cast<int32_t>(i % 1000));
    codes.push_back(static_cast<int8_t>(i % 3));
    names.push_back("CELL" + std::to_string(i));
  }
  Table table;
  table.rows = kRows;
  table.row_names = text_array(names);
  table.columns = {{"count", numbers(counts)},
                   {"level", factor(numbers(codes), text_array({"a", "b", "c"}), 0, "/level", context)}};
  return table;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(packed_parquet)

BOOST_AUTO_TEST_CASE(compressed_pages_match_uncompressed_ones) {
  TestContext context;
  const Table table = large_table(context);
  const std::string plain = whole_text(*layout_file([&] { return table_parquet(table, context); }, context));
  for (const int level : {1, 3}) {
    const std::string packed = packed_bytes(*packed_table_parquet(table, context), level);
    BOOST_TEST(packed.size() < plain.size() / 2);
    const Pages ours = pages_of(packed, true), theirs = pages_of(plain, false);
    BOOST_TEST((ours.contents == theirs.contents));
    BOOST_TEST(ours.count > theirs.count);
    BOOST_TEST(ours.largest <= (size_t{1} << 20) + (size_t{1} << 16));  // a run of texts, plus one megabyte
  }
}

BOOST_AUTO_TEST_CASE(table_without_rows_has_a_file) {
  TestContext context;
  Table table;
  table.columns = {{"n", numbers<int32_t>({})}};
  const std::string packed = packed_bytes(*packed_table_parquet(table, context), 3);
  BOOST_TEST(packed == whole_text(*layout_file([&] { return table_parquet(table, context); }, context)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
