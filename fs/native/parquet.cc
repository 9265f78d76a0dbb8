#include "fs/native/parquet.h"

#include <algorithm>
#include <unordered_set>

#include "formats/core/base/checked.h"
#include "formats/core/text/utf8.h"
#include "fs/native/flat_columns.h"
#include "fs/native/parquet_footer.h"
#include "fs/native/parquet_segments.h"
#include "fs/native/thrift.h"

namespace plainfs {

namespace {

constexpr std::string_view kMagic = "PAR1";

// What is kept of each run and of each chunk in memory stays small beside a table that has so many.
constexpr uint64_t kMostRows = uint64_t{1} << 32;
constexpr uint64_t kMostChunks = uint64_t{1} << 18;

constexpr int kDataPage = 0, kDictionaryPage = 2;  // PageType
constexpr uint64_t kIndicesTogether = 8;           // that bits are packed for

int32_t page_size(uint64_t bytes) {
  if (bytes > INT32_MAX) throw unsupported("a page of {} bytes is larger than Parquet's can be", bytes);
  return static_cast<int32_t>(bytes);
}

std::string page_header(int page_type, uint64_t bytes, uint64_t values, int encoding) {
  ThriftWriter out;
  out.int32(1, page_type);
  out.int32(2, page_size(bytes));
  out.int32(3, page_size(bytes));
  out.begin(page_type == kDataPage ? 5 : 7);
  out.int32(1, page_size(values));
  out.int32(2, encoding);
  if (page_type == kDataPage) {
    out.int32(3, kParquetRle);
    out.int32(4, kParquetRle);
  }
  out.end();
  out.end();
  return out.take();
}

class FileWriter {
 public:
  FileWriter(const std::vector<ParquetColumnPtr>& columns, uint64_t rows, const ParquetLimits& limits,
             Context& context)
      : limits_(limits) {
    for (const ParquetColumnPtr& column : columns) {
      tallies_.push_back(std::make_shared<const ParquetTally>(column, rows, limits.rows_in_group, context));
      const auto dictionary = column->dictionary();
      dictionaries_.push_back(dictionary ? shared_bytes(dictionary) : nullptr);
    }
    file_.put(kMagic);
  }

  ParquetGroup put_group(uint64_t number, uint64_t first, uint64_t count) {
    ParquetGroup group;
    for (size_t i = 0; i < tallies_.size(); ++i) {
      const ParquetTally& tally = *tallies_[i];
      ParquetChunk chunk;
      chunk.begin = file_.size();
      if (dictionaries_[i]) put_dictionary(tally.column(), dictionaries_[i]);
      chunk.data_page = file_.size();
      for (uint64_t at = first; at < first + count;) {
        const ParquetRows page{tallies_[i], at, rows_in_page(tally, at, first + count)};
        put_page(page);
        at += page.count;
      }
      chunk.size = file_.size() - chunk.begin;
      chunk.rows = count;
      chunk.missing = count - ParquetRows{tallies_[i], first, count}.values();
      chunk.extremes = tally.extremes(number);
      group.push_back(std::move(chunk));
    }
    return group;
  }

  ByteLayout finish(const std::string& footer) {
    file_.put(footer);
    const auto length = static_cast<uint32_t>(page_size(footer.size()));
    file_.put(std::string_view(reinterpret_cast<const char*>(&length), sizeof length));
    file_.put(kMagic);
    return std::move(file_);
  }

 private:
  // All of them, but of long texts.
  uint64_t rows_in_page(const ParquetTally& tally, uint64_t first, uint64_t end) const {
    uint64_t at = std::min(end, first + kParquetRun);
    while (at < end) {
      const uint64_t next = std::min(end, at + kParquetRun);
      if (tally.column().size() == 0 &&
          tally.bytes_before(next) - tally.bytes_before(first) > limits_.page_bytes)
        break;
      at = next;
    }
    return at - first;
  }

  void put_dictionary(const ParquetColumn& column, const SegmentPtr& page) {
    file_.put(page_header(kDictionaryPage, page->size(), column.levels(), kParquetPlain));
    file_.put(page);
  }

  void put_page(const ParquetRows& rows) {
    const ParquetColumn& column = rows.tally->column();
    const uint64_t values = rows.values();
    std::string levels, indices;
    bool has_level_bits = false;
    if (column.is_optional()) {
      // A run of one level, or the bits of all.
      const bool is_mixed = values != 0 && values != rows.count;
      const uint64_t bytes = divide_up(rows.count, kIndicesTogether);
      std::string run;
      append_varint(is_mixed ? bytes << 1 | 1 : rows.count << 1, run);
      if (!is_mixed) run += values == 0 ? '\0' : '\1';
      has_level_bits = is_mixed;
      const auto length = static_cast<uint32_t>(run.size() + (is_mixed ? bytes : 0));
      levels.assign(reinterpret_cast<const char*>(&length), sizeof length);
      levels += run;
    }
    const SegmentPtr content = parquet_values(rows);
    uint64_t padding = 0;
    if (column.dictionary()) {
      indices += static_cast<char>(column.size() * 8);
      if (values > 0) {
        const uint64_t together = divide_up(values, kIndicesTogether);
        append_varint(together << 1 | 1, indices);
        padding = (together * kIndicesTogether - values) * column.size();
      }
    }
    const uint64_t level_bits = has_level_bits ? divide_up(rows.count, 8) : 0;
    const uint64_t size = levels.size() + level_bits + indices.size() + content->size() + padding;
    file_.put(page_header(kDataPage, size, rows.count,
                          column.dictionary() ? kParquetRleDictionary : kParquetPlain));
    file_.put(levels);
    if (has_level_bits) file_.put(parquet_levels(rows));
    file_.put(indices);
    file_.put(content);
    file_.put_zeros(padding);
  }

  const ParquetLimits limits_;
  std::vector<std::shared_ptr<const ParquetTally>> tallies_;
  std::vector<SegmentPtr> dictionaries_;  // of a column each, or null
  ByteLayout file_;
};

// name, or name_1, name_2, … where that is there already.
std::string distinct_name(const std::string& name, std::unordered_set<std::string>& taken) {
  std::string distinct = name;
  for (uint64_t i = 1; !taken.insert(distinct).second; ++i) distinct = name + "_" + std::to_string(i);
  return distinct;
}

}  // namespace

ByteLayout parquet(const std::vector<ParquetColumnPtr>& columns, uint64_t rows, bool has_index,
                   const ParquetLimits& limits, Context& context) {
  const uint64_t groups = divide_up(rows, limits.rows_in_group);
  if (rows > kMostRows) throw unsupported("{} rows are more than {}", rows, kMostRows);
  if (columns.size() > kMostChunks || groups * columns.size() > kMostChunks)
    throw unsupported("{} rows of {} columns are more than are shown as Parquet", rows, columns.size());
  FileWriter file(columns, rows, limits, context);
  std::vector<ParquetGroup> written;
  for (uint64_t group = 0; group < groups; ++group) {
    const uint64_t first = group * limits.rows_in_group;
    written.push_back(file.put_group(group, first, std::min(limits.rows_in_group, rows - first)));
  }
  return file.finish(parquet_footer(columns, written, rows, has_index));
}

bool has_parquet(const Table& table) {
  return table.row_names || !table.columns.empty();
}

ByteLayout table_parquet(const Table& table, Context& context) {
  const ParquetLimits limits;
  std::vector<ParquetColumnPtr> columns;
  std::unordered_set<std::string> taken, met;
  const ArrayPtr row_names = checked_row_names(table);
  const std::vector<Column> flat = flat_columns(table);
  // The first of a name keeps it, but the index gives way.
  for (const Column& column : flat) taken.insert(column.name);
  if (row_names)
    columns.push_back(parquet_column(distinct_name("_index", taken), row_names, limits.rows_in_group, context,
                                     Nulls::none));
  for (const Column& column : flat) {
    check_utf8(std::string_view(column.name));
    const bool is_first = met.insert(column.name).second;
    columns.push_back(parquet_column(is_first ? column.name : distinct_name(column.name, taken),
                                     column.values, limits.rows_in_group, context));
  }
  return parquet(columns, table.rows, row_names != nullptr, limits, context);
}

}  // namespace plainfs
