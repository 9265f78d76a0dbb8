#include "fs/native/parquet.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "formats/core/base/checked.h"
#include "formats/core/text/utf8.h"
#include "fs/native/flat_columns.h"
#include "fs/native/parquet_footer.h"
#include "fs/native/parquet_tally.h"
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

// Rows of one column that begin with a run. A page has parts of them that are made as they are read.
struct ParquetRows {
  std::shared_ptr<const ParquetTally> tally;
  uint64_t first;
  uint64_t count;

  uint64_t end() const { return first + count; }
  uint64_t values() const { return tally->values_before(end()) - tally->values_before(first); }
};

// Where each run of the rows begins, counted by `before` from the first one on.
class Runs {
 public:
  using Before = uint64_t (ParquetTally::*)(uint64_t row) const;
  Runs(const ParquetRows& rows, Before before) : rows_(rows), before_(before) {}

  // Of a row that begins a run, or the end.
  uint64_t start(uint64_t row) const {
    return (rows_.tally.get()->*before_)(row) - (rows_.tally.get()->*before_)(rows_.first);
  }
  // The rows of the runs that hold [begin, end).
  std::pair<uint64_t, uint64_t> holding(uint64_t begin, uint64_t end) const {
    return {run_at(begin), std::min(rows_.end(), run_at(end - 1) + kParquetRun)};
  }

 private:
  // The first row of the run that `place` is in: the last one that begins at or before it and is not empty.
  uint64_t run_at(uint64_t place) const {
    uint64_t low = 0, high = divide_up(rows_.count, kParquetRun);
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      (start(rows_.first + middle * kParquetRun) <= place ? low : high) = middle;
    }
    return rows_.first + low * kParquetRun;
  }

  const ParquetRows& rows_;
  const Before before_;
};

class PageValues : public Segment {
 public:
  explicit PageValues(const ParquetRows& rows) : rows_(rows), runs_(rows_, &ParquetTally::bytes_before) {}

  uint64_t size() const override { return runs_.start(rows_.end()); }

  void read(const Wanted& wanted) const override {
    const auto [first, end] = runs_.holding(wanted.offset, wanted.offset + wanted.out.size());
    const ParquetColumn& column = rows_.tally->column();
    const ParquetRun run = column.read(first, end - first, wanted.in_passing);
    const uint64_t start = runs_.start(first);
    if (run.values.size() != runs_.start(end) - start)
      throw unreadable("column {} has changed since it was measured", column.name());
    std::memcpy(wanted.out.data(), run.values.data() + (wanted.offset - start), wanted.out.size());
  }

  uint64_t least_block() const override {
    const ParquetColumn& column = rows_.tally->column();
    return std::max<uint64_t>(1, std::min(column.least_rows(), rows_.count) * column.size());
  }

 private:
  const ParquetRows rows_;
  const Runs runs_;
};

class TruthValues : public Segment {
 public:
  explicit TruthValues(const ParquetRows& rows) : rows_(rows), runs_(rows_, &ParquetTally::values_before) {}

  uint64_t size() const override { return divide_up(rows_.values(), 8); }

  void read(const Wanted& wanted) const override {
    const uint64_t begin = wanted.offset * 8;
    const uint64_t end = std::min(rows_.values(), (wanted.offset + wanted.out.size()) * 8);
    const auto [first_row, end_row] = runs_.holding(begin, end);
    const ParquetColumn& column = rows_.tally->column();
    const ParquetRun run = column.read(first_row, end_row - first_row, wanted.in_passing);
    const uint64_t start = runs_.start(first_row);
    if (run.there != runs_.start(end_row) - start)
      throw unreadable("column {} has changed since it was measured", column.name());
    std::fill(wanted.out.begin(), wanted.out.end(), std::byte{0});
    for (uint64_t i = begin; i < end; ++i)
      wanted.out[(i - begin) / 8] |= (run.values[i - start] & std::byte{1}) << (i - begin) % 8;
  }

 private:
  const ParquetRows rows_;
  const Runs runs_;
};

class PageLevels : public Segment {
 public:
  explicit PageLevels(const ParquetRows& rows) : rows_(rows) {}

  uint64_t size() const override { return divide_up(rows_.count, 8); }

  void read(const Wanted& wanted) const override {
    const uint64_t first = wanted.offset * 8;
    const uint64_t count = std::min(rows_.count, (wanted.offset + wanted.out.size()) * 8) - first;
    const ParquetRun run = rows_.tally->column().read(rows_.first + first, count, wanted.in_passing);
    std::fill(wanted.out.begin(), wanted.out.end(), std::byte{0});
    for (uint64_t i = 0; i < count; ++i)
      wanted.out[i / 8] |= std::byte{static_cast<uint8_t>(run.is_there[i] != 0)} << i % 8;
  }

 private:
  const ParquetRows rows_;
};

// The same bytes however often they stand in a file.
class SharedBytes : public Segment {
 public:
  explicit SharedBytes(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  uint64_t size() const override { return bytes_->size(); }
  void read(const Wanted& wanted) const override {
    std::memcpy(wanted.out.data(), bytes_->data() + wanted.offset, wanted.out.size());
  }

 private:
  const std::shared_ptr<const std::string> bytes_;
};

// The values that are there, one after the other; truth values a bit each.
SegmentPtr parquet_values(const ParquetRows& rows) {
  if (rows.tally->column().type().physical == ParquetPhysical::boolean)
    return std::make_shared<TruthValues>(rows);
  return std::make_shared<PageValues>(rows);
}

// A bit a row, set where there is a value.
SegmentPtr parquet_levels(const ParquetRows& rows) {
  return std::make_shared<PageLevels>(rows);
}

class FileWriter {
 public:
  FileWriter(const std::vector<ParquetColumnPtr>& columns, uint64_t rows, const ParquetLimits& limits,
             Context& context)
      : limits_(limits) {
    for (const ParquetColumnPtr& column : columns) {
      tallies_.push_back(std::make_shared<const ParquetTally>(column, rows, limits.rows_in_group, context));
      const auto dictionary = column->dictionary();
      dictionaries_.push_back(dictionary ? std::make_shared<SharedBytes>(dictionary) : nullptr);
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
