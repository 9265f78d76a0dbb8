#include "fs/views/parquet/parquet_files.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "cache/in_order.h"
#include "formats/containers/parquet/thrift_writer.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/compress.h"
#include "formats/core/text/utf8.h"
#include "fs/views/parquet/parquet_parts.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

namespace {

constexpr std::string_view kParquetMagic = parquet::kMagic;

// Limits that keep the memory per run and per chunk small compared to the table.
constexpr uint64_t kMaxRows = uint64_t{1} << 32;
constexpr uint64_t kMaxChunks = uint64_t{1} << 18;

constexpr int kDataPage = static_cast<int>(parquet::PageKind::data),
              kDictionaryPage = static_cast<int>(parquet::PageKind::dictionary);
constexpr uint64_t kIndicesTogether = 8;  // bits are packed in groups of so many

int32_t page_size(uint64_t bytes) {
  if (bytes > INT32_MAX) throw unsupported("a page of {} bytes is too large for Parquet", bytes);
  return static_cast<int32_t>(bytes);
}

// A page; its header contains the size of its content.
struct Page {
  int type;
  uint64_t values;
  int encoding;
  ByteLayout content;
};

// stored: bytes of the content in the file.
std::string page_header(const Page& page, uint64_t stored) {
  ThriftWriter out;
  out.int32(1, page.type);
  out.int32(2, page_size(page.content.size()));
  out.int32(3, page_size(stored));
  out.begin(page.type == kDataPage ? 5 : 7);
  out.int32(1, page_size(page.values));
  out.int32(2, page.encoding);
  if (page.type == kDataPage) {
    out.int32(3, kParquetRle);
    out.int32(4, kParquetRle);
  }
  out.end();
  out.end();
  return out.take();
}

// Consecutive rows of one column; the first one begins a run. The parts of a page are generated from them on
// read.
struct ParquetRows {
  std::shared_ptr<const ParquetTally> tally;
  uint64_t first;
  uint64_t count;

  uint64_t end() const { return first + count; }
  uint64_t values() const { return tally->values_before(end()) - tally->values_before(first); }
};

// The beginnings of the rows' runs, counted by `before` from the first row on.
class Runs {
 public:
  using Before = uint64_t (ParquetTally::*)(uint64_t row) const;
  Runs(const ParquetRows& rows, Before before) : rows_(rows), before_(before) {}

  // Returns the beginning of a row that begins a run, or the end.
  uint64_t start(uint64_t row) const {
    return (rows_.tally.get()->*before_)(row) - (rows_.tally.get()->*before_)(rows_.first);
  }
  // Returns the rows of the runs that contain [begin, end).
  std::pair<uint64_t, uint64_t> holding(uint64_t begin, uint64_t end) const {
    return {run_at(begin), std::min(rows_.end(), run_at(end - 1) + kParquetRun)};
  }

 private:
  // Returns the first row of the run that contains `place`: the last non-empty run that begins at or before
  // it.
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
    const ParquetRun run = column.read(first, end - first, wanted.sequential);
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
    const ParquetRun run = column.read(first_row, end_row - first_row, wanted.sequential);
    const uint64_t start = runs_.start(first_row);
    if (run.present != runs_.start(end_row) - start)
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
    const ParquetRun run = rows_.tally->column().read(rows_.first + first, count, wanted.sequential);
    std::fill(wanted.out.begin(), wanted.out.end(), std::byte{0});
    for (uint64_t i = 0; i < count; ++i)
      wanted.out[i / 8] |= std::byte{static_cast<uint8_t>(run.exists[i] != 0)} << i % 8;
  }

 private:
  const ParquetRows rows_;
};

// Bytes that are shared by all their occurrences in a file.
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

// Returns the non-missing values one after the other; booleans as one bit each.
SegmentPtr parquet_values(const ParquetRows& rows) {
  if (rows.tally->column().type().physical == ParquetPhysical::boolean)
    return std::make_shared<TruthValues>(rows);
  return std::make_shared<PageValues>(rows);
}

// Returns a bit per row, set if it has a value.
SegmentPtr parquet_levels(const ParquetRows& rows) {
  return std::make_shared<PageLevels>(rows);
}

// The columns of a file, cut into row groups and these into pages.
class PagedColumns {
 public:
  PagedColumns(const std::vector<ParquetColumnPtr>& columns, uint64_t rows, const ParquetLimits& limits,
               Context& context)
      : rows_(rows), limits_(limits) {
    for (const ParquetColumnPtr& column : columns) {
      tallies_.push_back(std::make_shared<const ParquetTally>(column, rows, limits.rows_in_group, context));
      const auto dictionary = column->dictionary();
      dictionaries_.push_back(dictionary ? std::make_shared<SharedBytes>(dictionary) : nullptr);
    }
  }

  uint64_t groups() const { return divide_up(rows_, limits_.rows_in_group); }
  size_t columns() const { return tallies_.size(); }

  // Returns the pages of a column in a row group, the dictionary first.
  std::vector<Page> pages(uint64_t group, size_t column) const {
    std::vector<Page> pages;
    const ParquetRows rows = rows_of(group, column);
    if (const SegmentPtr& dictionary = dictionaries_[column]) {
      pages.push_back({kDictionaryPage, rows.tally->column().levels(), kParquetPlain, {}});
      pages.back().content.put(dictionary);
    }
    for (uint64_t at = rows.first; at < rows.end();) {
      const ParquetRows page{rows.tally, at, rows_in_page(*rows.tally, at, rows.end())};
      pages.push_back(data_page(page));
      at += page.count;
    }
    return pages;
  }

  // Returns the footer's data about the pages, without places and sizes.
  ParquetChunk chunk(uint64_t group, size_t column) const {
    const ParquetRows rows = rows_of(group, column);
    ParquetChunk chunk;
    chunk.rows = rows.count;
    chunk.missing = rows.count - rows.values();
    chunk.extremes = rows.tally->extremes(group);
    return chunk;
  }

 private:
  ParquetRows rows_of(uint64_t group, size_t column) const {
    const uint64_t first = group * limits_.rows_in_group;
    return {tallies_[column], first, std::min(limits_.rows_in_group, rows_ - first)};
  }

  // Returns the rows of the next page: all of them, except for long texts.
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

  static Page data_page(const ParquetRows& rows) {
    const ParquetColumn& column = rows.tally->column();
    const uint64_t values = rows.values();
    Page page{kDataPage, rows.count, column.dictionary() ? kParquetRleDictionary : kParquetPlain, {}};
    if (column.is_optional()) put_levels(rows, page.content);
    const SegmentPtr content = parquet_values(rows);
    uint64_t padding = 0;
    if (column.dictionary()) {
      std::string indices(1, static_cast<char>(column.size() * 8));
      if (values > 0) {
        const uint64_t together = divide_up(values, kIndicesTogether);
        append_leb128(indices, together << 1 | 1);
        padding = (together * kIndicesTogether - values) * column.size();
      }
      page.content.put(indices);
    }
    page.content.put(content);
    page.content.put_zeros(padding);
    return page;
  }

  // Adds a run of one level, or the bits of all levels.
  static void put_levels(const ParquetRows& rows, ByteLayout& content) {
    const uint64_t values = rows.values();
    const bool is_mixed = values != 0 && values != rows.count;
    const uint64_t bytes = divide_up(rows.count, kIndicesTogether);
    std::string run;
    append_leb128(run, is_mixed ? bytes << 1 | 1 : rows.count << 1);
    if (!is_mixed) run += values == 0 ? '\0' : '\1';
    const auto length = static_cast<uint32_t>(run.size() + (is_mixed ? bytes : 0));
    content.put(std::string_view(reinterpret_cast<const char*>(&length), sizeof length));
    content.put(run);
    if (is_mixed) content.put(parquet_levels(rows));
  }

  const uint64_t rows_;
  const ParquetLimits limits_;
  std::vector<std::shared_ptr<const ParquetTally>> tallies_;
  std::vector<SegmentPtr> dictionaries_;  // one per column, or null
};

// Returns the bytes after all pages.
std::string parquet_end(const std::string& footer) {
  std::string end = footer;
  const auto length = static_cast<uint32_t>(page_size(footer.size()));
  end.append(reinterpret_cast<const char*>(&length), sizeof length);
  return end.append(kParquetMagic);
}

// has_index: the first column holds the row names.
struct ParquetTable {
  std::vector<ParquetColumnPtr> columns;
  uint64_t rows = 0;
  bool has_index = false;
};

void check_is_shown(const ParquetTable& table, const ParquetLimits& limits) {
  const uint64_t groups = divide_up(table.rows, limits.rows_in_group), columns = table.columns.size();
  if (table.rows > kMaxRows) throw unsupported("{} rows, more than {}", table.rows, kMaxRows);
  if (columns > kMaxChunks || groups * columns > kMaxChunks)
    throw unsupported("{} rows of {} columns are too many for Parquet", table.rows, columns);
}

// All pages of a column in a row group, compressed, with their headers.
struct CompressedPages {
  Bytes bytes;
  ParquetChunk chunk;  // with offsets from the beginning of `bytes`
};

class PackedParquet : public PackedForm {
 public:
  PackedParquet(ParquetTable table, const ParquetLimits& limits, Context& context)
      : table_(std::move(table)), pages_(table_.columns, table_.rows, limits, context), context_(context) {}

  int usual_level() const override { return kZstdLevel; }
  // Computing the size of the uncompressed file would take as long as generating all pages, so rows are
  // counted.
  uint64_t bytes() const override { return table_.rows * table_.columns.size() * kBytesAValue; }
  uint64_t write(int level, PackedSink& out,
                 const std::function<void(uint64_t bytes)>& has_generated) const override {
    uint64_t size = kParquetMagic.size();
    out.write_at(0, as_byte_span(kParquetMagic));
    std::vector<ParquetGroup> groups(pages_.groups());
    const size_t columns = pages_.columns();
    InOrder<CompressedPages>::run(
        context_.workers, groups.size() * columns,
        [&](size_t number) { return compress(number / columns, number % columns, level); },
        [&](size_t number, CompressedPages generated) {
          out.write_at(size, generated.bytes);
          generated.chunk.begin += size;
          generated.chunk.data_page += size;
          size += generated.bytes.size();
          has_generated(generated.chunk.rows * kBytesAValue);
          groups[number / columns].push_back(std::move(generated.chunk));
        });
    const std::string end = parquet_end(
        parquet_footer(table_.columns, groups, table_.rows, table_.has_index, ParquetCodec::zstd));
    out.write_at(size, as_byte_span(end));
    return size + end.size();
  }

 private:
  static constexpr int kZstdLevel = 3;  // zstd's default
  static constexpr uint64_t kBytesAValue = 8;

  CompressedPages compress(uint64_t group, size_t column, int level) const {
    CompressedPages generated{{}, pages_.chunk(group, column)};
    for (const Page& page : pages_.pages(group, column)) {
      const auto room = context_.unit_budget.take(page.content.size());
      Bytes plain(page.content.size());
      page.content.read({0, plain});
      const Bytes stored = zstd_compressed(plain, level);
      const std::string header = page_header(page, stored.size());
      if (page.type == kDictionaryPage) generated.chunk.data_page = header.size() + stored.size();
      for (const ByteSpan bytes : {as_byte_span(header), ByteSpan(stored)})
        generated.bytes.insert(generated.bytes.end(), bytes.begin(), bytes.end());
      generated.chunk.plain_size += header.size() + plain.size();
    }
    generated.chunk.size = generated.bytes.size();
    return generated;
  }

  const ParquetTable table_;
  const PagedColumns pages_;
  Context& context_;
};

// Returns `name`, or the first of name_1, name_2, ... that is not taken.
std::string distinct_name(const std::string& name, std::unordered_set<std::string>& taken) {
  std::string distinct = name;
  for (uint64_t i = 1; !taken.insert(distinct).second; ++i) distinct = name + "_" + std::to_string(i);
  return distinct;
}

}  // namespace

ByteLayout columns_parquet(const std::vector<ParquetColumnPtr>& columns, uint64_t rows, bool has_index,
                           const ParquetLimits& limits, Context& context) {
  check_is_shown({columns, rows, has_index}, limits);
  const PagedColumns paged(columns, rows, limits, context);
  ByteLayout file;
  file.put(kParquetMagic);
  std::vector<ParquetGroup> written(paged.groups());
  for (uint64_t group = 0; group < paged.groups(); ++group)
    for (size_t column = 0; column < columns.size(); ++column) {
      ParquetChunk chunk = paged.chunk(group, column);
      chunk.begin = chunk.data_page = file.size();
      for (Page& page : paged.pages(group, column)) {
        file.put(page_header(page, page.content.size()));
        file.put(std::move(page.content));
        if (page.type == kDictionaryPage) chunk.data_page = file.size();
      }
      chunk.size = chunk.plain_size = file.size() - chunk.begin;
      written[group].push_back(std::move(chunk));
    }
  file.put(parquet_end(parquet_footer(columns, written, rows, has_index, ParquetCodec::none)));
  return file;
}

namespace {

ParquetTable parquet_table(const Table& table, const ParquetLimits& limits, Context& context) {
  ParquetTable generated;
  generated.rows = table.rows;
  std::unordered_set<std::string> taken, met;
  const ArrayPtr row_names = checked_row_names(table);
  const std::vector<Column> flat = flat_columns(table);
  // The first column of a name keeps it, but the index gives way.
  for (const Column& column : flat) taken.insert(column.name);
  generated.has_index = row_names != nullptr;
  if (row_names)
    generated.columns.push_back(parquet_column(distinct_name("_index", taken), row_names,
                                               limits.rows_in_group, context, Nulls::none));
  for (const Column& column : flat) {
    check_utf8(std::string_view(column.name));
    const bool is_first = met.insert(column.name).second;
    generated.columns.push_back(parquet_column(is_first ? column.name : distinct_name(column.name, taken),
                                               column.values, limits.rows_in_group, context));
  }
  return generated;
}

}  // namespace

ByteLayout table_parquet(const Table& table, Context& context) {
  const ParquetLimits limits;
  const ParquetTable generated = parquet_table(table, limits, context);
  return columns_parquet(generated.columns, generated.rows, generated.has_index, limits, context);
}

std::unique_ptr<const PackedForm> packed_table_parquet(const Table& table, Context& context) {
  ParquetLimits limits;
  limits.page_bytes = uint64_t{1} << 20;
  ParquetTable generated = parquet_table(table, limits, context);
  check_is_shown(generated, limits);
  return std::make_unique<PackedParquet>(std::move(generated), limits, context);
}

}  // namespace plainfs
