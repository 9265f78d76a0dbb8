#include "fs/views/table/csv_nested.h"

#include <algorithm>
#include <cmath>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/text/number_loops.h"
#include "fs/text/field_text.h"

namespace plainfs {

namespace {

// Returns what the index at that place divides: the number of lists of the next index, or of rows of the
// values.
uint64_t divided_by(const RowElements& elements, size_t index) {
  return index + 1 < elements.ends.size() ? elements.ends[index + 1]->count() : elements.values->shape()[0];
}

}  // namespace

NestedCells::NestedCells(const RowElements& elements) : elements_(elements) {
  for (size_t i = 0; i < elements.ends.size(); ++i)
    levels_.push_back({ListEnds(*elements.ends[i], divided_by(elements, i)), 0});
  const Shape& shape = elements.values->shape();
  for (size_t axis = 1; axis < shape.size(); ++axis) levels_.push_back({std::nullopt, shape[axis]});
}

Span NestedCells::children(size_t level, uint64_t list) {
  Level& here = levels_[level];
  if (!here.ends) return {list * here.length, (list + 1) * here.length};
  const uint64_t begin = here.ends->begin(list), end = here.ends->end(list);
  if (end < begin) throw damaged("index {} is {} after {}", list, end, begin);
  return {begin, end};
}

Span NestedCells::all_children(size_t level, Span lists) {
  Level& here = levels_[level];
  const auto begin_of = [&](uint64_t list) {
    return here.ends ? (list == 0 ? 0 : here.ends->end(list - 1)) : list * here.length;
  };
  const uint64_t begin = begin_of(lists.begin);
  return {begin, lists.size() == 0 ? begin : begin_of(lists.end)};
}

Span NestedCells::leaves(size_t level, Span lists) {
  for (; level < levels_.size(); ++level) lists = all_children(level, lists);
  return lists;
}

void NestedCells::check() const {
  elements_.values->check();
  element_count(elements_.values->shape());
  for (size_t i = 0; i < elements_.ends.size(); ++i)
    check_list_ends(*elements_.ends[i], divided_by(elements_, i));
}

namespace {

constexpr uint64_t kListWidth = 3;  // "[],"
constexpr uint64_t kIdWidth = 8;

uint64_t json_width_of(const DType& type, uint64_t own_width) {
  if (type.kind != Kind::compound) return own_width;
  uint64_t width = 2;
  for (const Field& field : type.fields)
    width += field.name.size() + 6 + json_width_of(field.type, typical_width(field.type));
  return width;
}

class Cutter {
 public:
  Cutter(std::vector<CutColumn> columns, uint64_t block_text)
      : columns_(std::move(columns)), block_text_(block_text) {
    for (CutColumn& column : columns_)
      steps_.push_back(
          step_along_chunks(column.cells.values(), std::max<uint64_t>(1, block_text / column.leaf_width)));
  }

  std::vector<CellPlace> cut(uint64_t rows) {
    for (place_.row = 0; place_.row < rows; ++place_.row) {
      place_.column = 0;
      if (place_.row == 0 || text_ >= block_text_) begin_block();
      text_ = saturating_add(text_, kIdWidth);
      for (size_t i = 0; i < columns_.size(); ++i) {
        place_.column = i;
        add_list(i, 0, place_.row);
      }
    }
    return std::move(starts_);
  }

 private:
  void begin_block() {
    starts_.push_back(place_);
    text_ = 0;
  }

  // Returns the approximate characters of a list with everything in it.
  uint64_t width_of(CutColumn& column, size_t level, uint64_t list) {
    NestedCells& cells = column.cells;
    uint64_t width = kListWidth;
    Span lists{list, list + 1};
    for (; level < cells.levels(); ++level) {
      lists = cells.all_children(level, lists);
      const uint64_t each = level + 1 < cells.levels() ? kListWidth : column.leaf_width;
      width = saturating_add(width, saturating_multiply(lists.size(), each));
    }
    return cells.levels() == 0 ? column.leaf_width : width;
  }

  // Adds one list, at level 0 the cell of a row. Cuts it if it is larger than a block.
  void add_list(size_t number, size_t level, uint64_t list) {
    CutColumn& column = columns_[number];
    const uint64_t width = width_of(column, level, list);
    if (level == column.cells.levels() || saturating_add(text_, width) <= 2 * block_text_) {
      text_ = saturating_add(text_, width);
      return;
    }
    const Span children = column.cells.children(level, list);
    const bool are_leaves = level + 1 == column.cells.levels();
    const size_t depth = place_.path.size();
    place_.path.push_back(children.begin);
    while (place_.path[depth] < children.end) {
      // A step of leaves may fill a whole block.
      if (text_ >= (are_leaves ? block_text_ / 2 : block_text_)) begin_block();
      place_.path[depth] += are_leaves ? add_leaves(number, place_.path[depth], children.end)
                                       : add_child(number, level + 1, place_.path[depth]);
    }
    place_.path.pop_back();
  }

  // Adds leaves up to the end of the step that contains the first one. Returns their number.
  uint64_t add_leaves(size_t number, uint64_t first, uint64_t end) {
    const uint64_t taken = std::min(steps_[number] - first % steps_[number], end - first);
    text_ = saturating_add(text_, saturating_multiply(taken, columns_[number].leaf_width));
    return taken;
  }

  uint64_t add_child(size_t number, size_t level, uint64_t list) {
    add_list(number, level, list);
    return 1;
  }

  std::vector<CutColumn> columns_;
  std::vector<uint64_t> steps_;  // in leaves, for each column
  const uint64_t block_text_;
  uint64_t text_ = 0;  // in the block so far
  CellPlace place_;
  std::vector<CellPlace> starts_;
};

}  // namespace

uint64_t step_along_chunks(const Array& values, uint64_t wanted) {
  constexpr uint64_t kMaxPieces = 1024;  // of a chunk; the steps of a larger one seldom end with it
  const uint64_t chunk = elements_in_band(values.shape(), values.chunk_shape());
  if (chunk <= wanted) return wanted / chunk * chunk;
  const uint64_t least = divide_up(chunk, saturating_add(wanted, wanted / 4));
  if (least > kMaxPieces) return wanted;
  for (uint64_t pieces = least; pieces <= least + least / 2 + 1; ++pieces)
    if (chunk % pieces == 0) return chunk / pieces;
  return wanted;
}

uint64_t json_width(const Array& values) {
  return json_width_of(values.dtype(), sampled_width(values)) + 1;
}

std::vector<CellPlace> cut_cells(uint64_t rows, std::vector<CutColumn> columns, uint64_t block_text) {
  return Cutter(std::move(columns), block_text).cut(rows);
}

namespace {

// Returns whether JSON has no number for the value.
template <class T>
bool is_worded(T value) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return !std::isfinite(plain_number(value));
}

template <class T>
bool any_is_worded(std::span<const T> values) {
  if constexpr (std::is_integral_v<T>) return false;
  return !all_hold(values, [](T value) { return !is_worded(value); });
}

// Writes text inside a quoted CSV field.
template <class Sink>
void put_within_quotes(std::string_view text, Sink& sink) {
  for (size_t quote; (quote = text.find('"')) != text.npos; text.remove_prefix(quote + 1)) {
    sink.put(text.substr(0, quote + 1));
    sink.put('"');
  }
  sink.put(text);
}

// The part of one column that a block shows.
struct ColumnPart {
  NestedCells cells;
  Span leaves;          // the leaves in the block; for a column that is not nested, its rows
  Elements elements;    // the values of those leaves
  bool quoted = false;  // for the cell being written

  explicit ColumnPart(const RowElements& column) : cells(column) {}
};

// Returns the elements; a column that is not a NestedArray has one element per row.
RowElements elements_of(const Column& column) {
  if (const auto* nested = dynamic_cast<const NestedArray*>(column.values.get())) return nested->elements();
  return {nullptr, column.values, {}};
}

class CsvNested : public EmittingSource<CsvNested> {
 public:
  CsvNested(Table table, std::string row_name_header)
      : table_(std::move(table)), row_name_header_(std::move(row_name_header)) {
    for (const Column& column : table_.columns) columns_.push_back(elements_of(column));
  }

  void prepare() override;
  std::string head() const override;
  std::string version() const override { return "csv nested 1"; }
  uint64_t block_count() const override { return starts_.size(); }
  bool should_cache(uint64_t) const override { return true; }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const;

 private:
  std::vector<ColumnPart> read_parts(const CellPlace& from, const CellPlace& to) const;
  bool is_quoted(ColumnPart& part, uint64_t row) const;
  template <class Sink>
  void put_cell(ColumnPart& part, uint64_t row, const Path* from, const Path* to, std::string& scratch,
                Sink& sink) const;
  template <class Sink>
  void put_list(ColumnPart& part, size_t level, uint64_t list, const Path* from, const Path* to,
                std::string& scratch, Sink& sink) const;
  template <class Sink>
  void put_leaves(const ColumnPart& part, Span leaves, bool comma_first, std::string& scratch,
                  Sink& sink) const;
  template <class Sink>
  void put_plain(const ColumnPart& part, uint64_t row, std::string& scratch, Sink& sink) const;

  const Table table_;
  const std::string row_name_header_;
  std::vector<RowElements> columns_;
  std::vector<CellPlace> starts_;  // the beginnings of the blocks
};

void CsvNested::prepare() {
  if (table_.row_names) {
    table_.row_names->check();
    if (table_.row_names->count() != table_.rows)
      throw damaged("{} row names for {} rows", table_.row_names->count(), table_.rows);
  }
  std::vector<CutColumn> columns;
  for (size_t i = 0; i < columns_.size(); ++i) {
    try {
      NestedCells cells(columns_[i]);
      cells.check();
      if (cells.rows() != table_.rows) throw damaged("{} rows, expected {}", cells.rows(), table_.rows);
      columns.push_back({std::move(cells), json_width(*columns_[i].values)});
    } catch (const Error& error) {
      throw error.at(fmt::format("column {}", table_.columns[i].name));
    }
  }
  starts_ = cut_cells(table_.rows, std::move(columns), kCellBlockText);
}

std::string CsvNested::head() const {
  std::string text;
  StringSink sink(text);
  if (table_.row_names) put_csv_text(row_name_header_, sink);
  for (size_t i = 0; i < table_.columns.size(); ++i) {
    if (i > 0 || table_.row_names) sink.put(',');
    put_csv_text(table_.columns[i].name, sink);
  }
  return text += '\n';
}

// Reads the leaves of each column between two places.
std::vector<ColumnPart> CsvNested::read_parts(const CellPlace& from, const CellPlace& to) const {
  std::vector<ColumnPart> parts;
  // Returns the first leaf of a column at or after a place.
  const auto leaf_at = [](NestedCells& cells, size_t column, const CellPlace& place) {
    if (place.column == column && !place.path.empty())
      return cells.leaves(place.path.size(), {place.path.back(), place.path.back()}).begin;
    const uint64_t row = place.row + (column < place.column);
    return cells.leaves(0, {row, row}).begin;
  };
  for (size_t i = 0; i < columns_.size(); ++i) {
    ColumnPart& part = parts.emplace_back(columns_[i]);
    part.leaves.begin = leaf_at(part.cells, i, from);
    part.leaves.end = leaf_at(part.cells, i, to);
    part.elements = read_run(part.cells.values(), part.leaves.begin, part.leaves.size());
  }
  return parts;
}

// Returns whether a cell needs quotes: if any of its lists has two children, it contains a comma; otherwise
// its only leaf decides.
bool CsvNested::is_quoted(ColumnPart& part, uint64_t row) const {
  NestedCells& cells = part.cells;
  Span lists{row, row + 1};
  for (size_t level = 0; level < cells.levels() && lists.size() == 1; ++level)
    lists = cells.children(level, lists.begin);
  if (lists.size() != 1) return lists.size() > 1;
  const bool is_here = lists.begin >= part.leaves.begin && lists.end <= part.leaves.end;
  const Elements other = is_here ? Elements() : read_run(cells.values(), lists.begin, 1);
  std::string leaf;
  append_json(cells.values().dtype(), is_here ? part.elements : other,
              is_here ? lists.begin - part.leaves.begin : 0, leaf);
  return needs_quotes(leaf);
}

template <class Sink>
void CsvNested::put_leaves(const ColumnPart& part, Span leaves, bool comma_first, std::string& scratch,
                           Sink& sink) const {
  const DType& type = part.cells.values().dtype();
  const uint64_t first = leaves.begin - part.leaves.begin, end = leaves.end - part.leaves.begin;
  const auto put_json = [&](uint64_t i) {
    scratch.clear();
    append_json(type, part.elements, i, scratch);
    part.quoted ? put_within_quotes(scratch, sink) : sink.put(std::string_view(scratch));
  };
  const auto put_all = [&](auto&& put) {
    for (uint64_t i = first; i < end; ++i) {
      if (i > first || comma_first) sink.put(',');
      put(i);
    }
  };
  if (!type.is_integer_or_real() || !part.elements.missing.empty()) return put_all(put_json);
  visit_number(type, [&](auto zero) {
    const auto values = part.elements.values<decltype(zero)>();
    const auto rest = values.subspan(first, end - first);
    if (rest.empty() || any_is_worded(rest))
      return put_all([&](uint64_t i) { is_worded(values[i]) ? put_json(i) : sink.put_number(values[i]); });
    if (comma_first) return sink.put_numbers(rest, ",");
    sink.put_number(rest.front());
    sink.put_numbers(rest.subspan(1), ",");
  });
}

// Writes a list. from: the place to continue inside the list, null for its beginning. to: the place to stop,
// null for its end. Each has one child per level and means the place before that child and the comma in front
// of it.
template <class Sink>
void CsvNested::put_list(ColumnPart& part, size_t level, uint64_t list, const Path* from, const Path* to,
                         std::string& scratch, Sink& sink) const {
  const Span all = part.cells.children(level, list);
  const Span shown{from ? (*from)[level] : all.begin, to ? (*to)[level] : all.end};
  if (!from) sink.put('[');
  if (level + 1 == part.cells.levels()) {
    put_leaves(part, shown, shown.begin > all.begin, scratch, sink);
  } else {
    const bool into_first = from && from->size() > level + 1, into_last = to && to->size() > level + 1;
    for (uint64_t child = shown.begin; child < shown.end + into_last; ++child) {
      const Path* const child_from = into_first && child == shown.begin ? from : nullptr;
      if (!child_from && child > all.begin) sink.put(',');
      put_list(part, level + 1, child, child_from, child == shown.end ? to : nullptr, scratch, sink);
    }
  }
  if (!to) sink.put(']');
}

template <class Sink>
void CsvNested::put_plain(const ColumnPart& part, uint64_t row, std::string& scratch, Sink& sink) const {
  const DType& type = part.cells.values().dtype();
  const uint64_t i = row - part.leaves.begin;
  if (type.kind != Kind::compound) return put_csv_field(type, part.elements, i, scratch, sink);
  scratch.clear();
  append_json(type, part.elements, i, scratch);
  put_csv_text(scratch, sink);
}

template <class Sink>
void CsvNested::put_cell(ColumnPart& part, uint64_t row, const Path* from, const Path* to,
                         std::string& scratch, Sink& sink) const {
  if (part.cells.levels() == 0) return put_plain(part, row, scratch, sink);
  part.quoted = is_quoted(part, row);
  if (part.quoted && !from) sink.put('"');
  put_list(part, 0, row, from, to, scratch, sink);
  if (part.quoted && !to) sink.put('"');
}

template <class Sink>
void CsvNested::emit(uint64_t block, Sink& sink) const {
  const CellPlace& from = starts_[block];
  const CellPlace to = block + 1 < starts_.size() ? starts_[block + 1] : CellPlace{table_.rows, 0, {}};
  std::vector<ColumnPart> parts = read_parts(from, to);
  const bool has_partial_row = !to.path.empty();
  const uint64_t rows_end = to.row + has_partial_row;
  const Elements names =
      table_.row_names ? read_run(*table_.row_names, from.row, rows_end - from.row) : Elements();
  std::string scratch;
  for (uint64_t row = from.row; row < rows_end; ++row) {
    const bool is_resumed = row == from.row && !from.path.empty();
    if (!is_resumed && table_.row_names)
      put_csv_field(table_.row_names->dtype(), names, row - from.row, scratch, sink);
    for (size_t column = is_resumed ? from.column : 0; column < parts.size(); ++column) {
      const bool goes_on = is_resumed && column == from.column;
      const bool stops = has_partial_row && row == to.row && column == to.column;
      if (!goes_on && (column > 0 || table_.row_names)) sink.put(',');
      put_cell(parts[column], row, goes_on ? &from.path : nullptr, stops ? &to.path : nullptr, scratch, sink);
      if (stops) return;
    }
    sink.put('\n');
  }
}

}  // namespace

bool has_nested_columns(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(), [](const Column& column) {
    return dynamic_cast<const NestedArray*>(column.values.get()) != nullptr;
  });
}

std::unique_ptr<TextSource> csv_nested(Table table, Context& context) {
  return std::make_unique<CsvNested>(std::move(table), context.options.row_name_header);
}

}  // namespace plainfs
