#include "fs/views/csv_table.h"

#include <algorithm>
#include <optional>

#include "formats/core/base/checked.h"
#include "fs/text/array_runs.h"
#include "fs/text/field_text.h"

namespace plainfs {

namespace {

// A column as it is shown: an array, or a member of an array of compounds, or one of a member.
struct ShownColumn {
  std::string name;
  size_t array;              // in CsvTable::arrays_
  std::vector<size_t> path;  // members from the array's elements down
  const DType* type;         // of the innermost; owned by the array
};

// A run of rows: what is read of each array.
struct TableRows {
  Elements names;
  std::vector<Elements> parts;
  size_t allocated_bytes() const {
    size_t bytes = names.allocated_bytes() + parts.capacity() * sizeof(Elements);
    for (const Elements& part : parts) bytes += part.allocated_bytes();
    return bytes;
  }
};

class CsvTable : public EmittingSource<CsvTable> {
 public:
  // arrays: rows elements each, of any rank.
  CsvTable(uint64_t rows, ArrayPtr row_names, const std::vector<Column>& columns, Context& context)
      : rows_(rows),
        row_names_(std::move(row_names)),
        context_(context),
        cache_owner_(context.cache.new_owner()) {
    for (const Column& column : columns) {
      arrays_.push_back(column.values);
      show(column.name, {}, column.values->dtype());
    }
  }

  ~CsvTable() override { context_.cache.drop(cache_owner_, cache_owner_ + 1); }

  void prepare() override;
  std::string head() const override;
  std::string version() const override { return "csv table 1"; }
  uint64_t division() const override { return rows_in_unit_ << 24 ^ rows_in_block_; }
  uint64_t block_count() const override {
    return rows_ / rows_in_unit_ * blocks_in_unit_ + divide_up(rows_ % rows_in_unit_, rows_in_block_);
  }
  bool is_worth_keeping(uint64_t block) const override {
    const BlockRows rows = rows_of(block);
    return !units_are_shared() && !repeated(rows.first, rows.count);  // shared units need the cache
  }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const;

 private:
  struct BlockRows {
    uint64_t unit;
    uint64_t first_in_unit;
    uint64_t first;
    uint64_t count;
  };
  BlockRows rows_of(uint64_t block) const;
  void show(const std::string& name, std::vector<size_t> path, const DType& type);
  void choose_units();
  bool units_are_shared() const { return blocks_in_unit_ > 1; }
  std::shared_ptr<const TableRows> unit(uint64_t number) const;
  TableRows read(uint64_t first, uint64_t count) const;
  void let_go(const Array& array, uint64_t first, uint64_t end) const;
  std::optional<TableRows> repeated(uint64_t first, uint64_t count) const;
  template <class Sink>
  void put_row(const TableRows& rows, uint64_t row, std::string& scratch, Sink& sink) const;

  const uint64_t rows_;
  const ArrayPtr row_names_;  // may be null
  Context& context_;
  const uint64_t cache_owner_;  // of units that several blocks share
  std::vector<ArrayPtr> arrays_;
  std::vector<ShownColumn> shown_;
  uint64_t rows_in_block_ = 1;
  // What is read in one go. Several blocks where the chunks that lie side by side do not fit the cache, so
  // that not every block decodes them all anew.
  uint64_t rows_in_unit_ = 1;
  uint64_t blocks_in_unit_ = 1;
};

// Of the last array, or of a member of its elements.
void CsvTable::show(const std::string& name, std::vector<size_t> path, const DType& type) {
  if (type.kind != Kind::compound) {
    shown_.push_back({name, arrays_.size() - 1, std::move(path), &type});
    return;
  }
  path.push_back(0);
  for (size_t f = 0; f < type.fields.size(); ++f) {
    path.back() = f;
    const std::string& field = type.fields[f].name;
    show(name.empty() && path.size() == 1 ? field : name + "." + field, path, type.fields[f].type);
  }
}

void CsvTable::prepare() {
  const auto check = [&](const ArrayPtr& array, std::string_view name) {
    array->check();
    if (array->count() != rows_) throw damaged("{} has {} values for {} rows", name, array->count(), rows_);
  };
  uint64_t width = 1;
  if (row_names_) {
    check(row_names_, "the list of row names");
    width += sampled_width(*row_names_) + 1;
  }
  for (const ShownColumn& column : shown_) {
    check(arrays_[column.array], fmt::format("column {}", column.name));
    width +=
        column.path.empty() ? sampled_width(*arrays_[column.array]) + 1 : typical_width(*column.type) + 1;
  }
  rows_in_block_ = std::max<uint64_t>(1, kBlockText / width);
  choose_units();
}

void CsvTable::choose_units() {
  constexpr uint64_t kPartBytes = sizeof(Elements) + 64;  // what a part of a unit costs besides its elements
  std::vector<ArrayPtr> arrays = arrays_;
  if (row_names_) arrays.push_back(row_names_);
  uint64_t row_bytes = 1, chunk_rows = 1;
  double band_bytes = 0;
  for (const ArrayPtr& array : arrays) {
    const uint64_t size = decoded_size(array->dtype());
    const uint64_t band = std::min(elements_in_band(array->shape(), array->chunk_shape()), rows_);
    row_bytes += size;
    chunk_rows = std::max(chunk_rows, band);
    band_bytes += static_cast<double>(band) * static_cast<double>(size);
  }
  const uint64_t budget = context_.cache.statistics().budget_bytes;
  rows_in_unit_ = rows_in_block_;
  if (band_bytes > static_cast<double>(budget / 2)) {
    // This unit and the next one, and as much again for chunks.
    const uint64_t parts_bytes = std::min(budget / 4, arrays.size() * kPartBytes);
    rows_in_unit_ = std::max(rows_in_block_, std::min((budget / 4 - parts_bytes) / row_bytes, rows_));
    if (rows_in_unit_ > chunk_rows) rows_in_unit_ -= rows_in_unit_ % chunk_rows;
  }
  blocks_in_unit_ = divide_up(rows_in_unit_, rows_in_block_);
}

std::string CsvTable::head() const {
  std::string text;
  StringSink sink(text);
  if (row_names_) sink.put(std::string_view("\"\""));
  for (size_t i = 0; i < shown_.size(); ++i) {
    if (i > 0 || row_names_) sink.put(',');
    put_csv_text(shown_[i].name, sink);
  }
  sink.put('\n');
  return text;
}

template <class Sink>
void put_cell(const ShownColumn& column, const Elements& elements, uint64_t i, std::string& scratch,
              Sink& sink) {
  const Elements* part = &elements;
  for (const size_t member : column.path) {
    if (part->is_missing(i)) return sink.put(std::string_view("NA"));
    part = &part->children[member];
  }
  put_csv_field(*column.type, *part, i, scratch, sink);
}

template <class Sink>
void CsvTable::put_row(const TableRows& rows, uint64_t row, std::string& scratch, Sink& sink) const {
  if (row_names_) put_csv_field(row_names_->dtype(), rows.names, row, scratch, sink);
  for (size_t i = 0; i < shown_.size(); ++i) {
    if (i > 0 || row_names_) sink.put(',');
    put_cell(shown_[i], rows.parts[shown_[i].array], row, scratch, sink);
  }
  sink.put('\n');
}

// The chunks of rows [first, end) will not be in the cache any more when the next unit wants them: held, they
// would only push out units that are in use.
void CsvTable::let_go(const Array& array, uint64_t first, uint64_t end) const {
  const uint64_t in_band = std::min(elements_in_band(array.shape(), array.chunk_shape()), rows_);
  const uint64_t band_end = std::min(rows_, divide_up(end, in_band) * in_band);
  passed_run(array, first, band_end - first);
}

TableRows CsvTable::read(uint64_t first, uint64_t count) const {
  TableRows rows;
  if (row_names_) rows.names = read_run(*row_names_, first, count);
  rows.parts.resize(arrays_.size());
  const auto read_part = [&](size_t i) {
    rows.parts[i] = read_run(*arrays_[i], first, count);
    if (units_are_shared()) let_go(*arrays_[i], first, first + count);
  };
  if (units_are_shared()) {
    context_.workers.parallel_for(arrays_.size(), read_part);
  } else {
    for (size_t i = 0; i < arrays_.size(); ++i) read_part(i);
  }
  return rows;
}

std::shared_ptr<const TableRows> CsvTable::unit(uint64_t number) const {
  const uint64_t first = number * rows_in_unit_, count = std::min(rows_in_unit_, rows_ - first);
  if (!units_are_shared()) return std::make_shared<const TableRows>(read(first, count));
  return context_.cache.get<TableRows>({cache_owner_, number}, [&] {
    const uint64_t bytes = context_.cache.statistics().budget_bytes / 4;
    const auto turn = context_.unit_budget.take(bytes);
    const ByteCache::Reservation room(context_.cache, bytes);
    return read(first, count);
  });
}

// The one row that all of these are, where nothing of them is stored.
std::optional<TableRows> CsvTable::repeated(uint64_t first, uint64_t count) const {
  if (row_names_ || units_are_shared()) return std::nullopt;
  TableRows rows;
  for (const ArrayPtr& array : arrays_) {
    if (array->shape().size() != 1) return std::nullopt;
    std::optional<Elements> one = array->repeated(range(first, count));
    if (!one) return std::nullopt;
    rows.parts.push_back(*std::move(one));
  }
  return rows;
}

CsvTable::BlockRows CsvTable::rows_of(uint64_t block) const {
  const uint64_t unit = block / blocks_in_unit_;
  const uint64_t first_in_unit = block % blocks_in_unit_ * rows_in_block_;
  const uint64_t first = unit * rows_in_unit_ + first_in_unit;
  return {unit, first_in_unit, first,
          std::min({rows_in_block_, rows_in_unit_ - first_in_unit, rows_ - first})};
}

template <class Sink>
void CsvTable::emit(uint64_t block, Sink& sink) const {
  const BlockRows shown = rows_of(block);
  std::string scratch;
  if constexpr (std::is_same_v<Sink, CountingSink>) {
    if (const std::optional<TableRows> rows = repeated(shown.first, shown.count)) {
      CountingSink row;
      put_row(*rows, 0, scratch, row);
      return sink.skip(checked_multiply(row.size(), shown.count));
    }
  }
  const std::shared_ptr<const TableRows> rows = unit(shown.unit);
  for (uint64_t row = 0; row < shown.count; ++row) put_row(*rows, shown.first_in_unit + row, scratch, sink);
}

}  // namespace

std::unique_ptr<TextSource> csv_table(Table table, Context& context) {
  return std::make_unique<CsvTable>(table.rows, std::move(table.row_names), table.columns, context);
}

std::unique_ptr<TextSource> csv_compounds(LabelledArray array, Context& context) {
  array.values->check();
  const uint64_t rows = array.values->is_null() ? 0 : array.values->count();
  return std::make_unique<CsvTable>(rows, std::move(array.row_names),
                                    std::vector<Column>{{"", std::move(array.values)}}, context);
}

}  // namespace plainfs
