#include "fs/views/table/table_files.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "fs/text/field_text.h"
#include "fs/views/table/row_text.h"

namespace plainfs {

namespace {

// A displayed column: an array, or a member of an array of compounds at any depth.
struct ShownColumn {
  std::string name;
  size_t array;              // index in CsvTable::arrays_
  std::vector<size_t> path;  // members, from the array's elements down
  const DType* type;         // of the innermost member; owned by the array
};

class CsvTable : public RowText<CsvTable> {
 public:
  // arrays: each has `rows` elements, of any rank.
  CsvTable(uint64_t rows, ArrayPtr row_names, const std::vector<Column>& columns, Context& context)
      : rows_(rows), row_names_(std::move(row_names)), context_(context) {
    for (const Column& column : columns) {
      arrays_.push_back(column.values);
      show(column.name, {}, column.values->dtype());
    }
  }

  void prepare() override;
  std::string head() const override;
  std::string version() const override { return "csv table 3"; }
  bool should_cache(uint64_t block) const override {
    return !units().are_shared() && !repeated(units().block(block));  // shared units need the cache
  }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const;
  template <class Sink>
  void put_rows(const ShownRows& rows, Sink& sink) const;

 private:
  void show(const std::string& name, std::vector<size_t> path, const DType& type);
  std::optional<std::vector<Elements>> repeated(const RowUnits::Block& block) const;
  uint64_t length_of_rows(const ShownRows& rows) const;
  template <class Sink>
  void put_row(const std::vector<Elements>& parts, uint64_t row, std::string& scratch, Sink& sink) const;

  const uint64_t rows_;
  const ArrayPtr row_names_;  // may be null
  Context& context_;
  std::vector<ArrayPtr> arrays_;  // of columns; followed by the row names, if any
  std::vector<ShownColumn> shown_;
};

// Adds the columns of the last array, or of a member of its elements.
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
  std::vector<ArrayPtr> arrays = arrays_;
  if (row_names_) arrays.push_back(row_names_);
  show_rows(rows_, std::move(arrays), width, context_);
}

std::string CsvTable::head() const {
  std::string text;
  StringSink sink(text);
  if (row_names_) put_csv_text(context_.options.row_name_header, sink);
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
void CsvTable::put_row(const std::vector<Elements>& parts, uint64_t row, std::string& scratch,
                       Sink& sink) const {
  if (row_names_) put_csv_field(row_names_->dtype(), parts.back(), row, scratch, sink);
  for (size_t i = 0; i < shown_.size(); ++i) {
    if (i > 0 || row_names_) sink.put(',');
    put_cell(shown_[i], parts[shown_[i].array], row, scratch, sink);
  }
  sink.put('\n');
}

// Returns the size of the rows, which is found column by column.
uint64_t CsvTable::length_of_rows(const ShownRows& rows) const {
  const uint64_t fields = shown_.size() + (row_names_ ? 1 : 0);
  uint64_t size = rows.count * std::max<uint64_t>(fields, 1);  // a comma or the line feed after each
  if (row_names_) size += csv_field_lengths(row_names_->dtype(), rows.parts.back(), rows.first, rows.count);
  CountingSink of_members;
  std::string scratch;
  for (const ShownColumn& column : shown_) {
    const Elements& elements = rows.parts[column.array];
    if (column.path.empty()) {
      size += csv_field_lengths(*column.type, elements, rows.first, rows.count);
      continue;
    }
    for (uint64_t row = rows.first; row < rows.first + rows.count; ++row)
      put_cell(column, elements, row, scratch, of_members);
  }
  return size + of_members.size();
}

template <class Sink>
void CsvTable::put_rows(const ShownRows& rows, Sink& sink) const {
  if constexpr (std::is_same_v<Sink, CountingSink>) {
    sink.skip(length_of_rows(rows));
  } else {
    std::string scratch;
    for (uint64_t row = 0; row < rows.count; ++row) put_row(rows.parts, rows.first + row, scratch, sink);
  }
}

// Returns the row that all rows of the block are equal to, if none of them is stored.
std::optional<std::vector<Elements>> CsvTable::repeated(const RowUnits::Block& block) const {
  if (row_names_ || units().are_shared()) return std::nullopt;
  std::vector<Elements> parts;
  for (const ArrayPtr& array : arrays_) {
    if (array->shape().size() != 1) return std::nullopt;
    std::optional<Elements> one = array->repeated(range(block.first, block.count));
    if (!one) return std::nullopt;
    parts.push_back(*std::move(one));
  }
  return parts;
}

template <class Sink>
void CsvTable::emit(uint64_t block, Sink& sink) const {
  if constexpr (std::is_same_v<Sink, CountingSink>) {
    const RowUnits::Block rows = units().block(block);
    if (const std::optional<std::vector<Elements>> parts = repeated(rows)) {
      std::string scratch;
      CountingSink row;
      put_row(*parts, 0, scratch, row);
      return sink.skip(checked_multiply(row.size(), rows.count));
    }
  }
  RowText::emit(block, sink);
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
