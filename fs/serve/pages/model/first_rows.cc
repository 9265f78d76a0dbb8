#include "fs/serve/pages/model/first_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/core/model/arrays/index_run.h"
#include "formats/core/model/elements/element_text.h"
#include "fs/report/columns.h"
#include "fs/report/words.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxCellBytes = 120;
constexpr uint64_t kMaxPointers = 4096;  // that are examined for the first entries

Grid::Cell cell_of(const DType& type, const Elements& elements, uint64_t i) {
  if (elements.is_missing(i)) return {"NA", true};
  return {shortened(plain_text(type, elements, i), kMaxCellBytes), false};
}

Grid::Cell number_cell(uint64_t number) {
  return {std::to_string(number), false};
}

// Returns element i of a list of names, or the number i if there is no list.
Grid::Cell name_cell(const ArrayPtr& names, uint64_t i) {
  if (!names) return number_cell(i);
  return cell_of(names->dtype(), names->peek(range(i, 1)), 0);
}

bool is_right_aligned(const DType& type) {
  return type.is_numeric();
}

// what: begins with a plural in s: "values, in stored order".
std::string caption_of(uint64_t shown, uint64_t all, std::string_view what) {
  const size_t word = std::min(what.find(','), what.size());
  if (all == 1) return fmt::format("1 {}{}", what.substr(0, word - 1), what.substr(word));
  if (shown >= all) return fmt::format("All {} {}", count_text(all), what);
  return fmt::format("The first {} of {} {}", shown, count_text(all), what);
}

void add_row_names(Grid& grid, const ArrayPtr& names, uint64_t rows) {
  grid.rows.resize(rows);
  if (rows == 0) return;
  if (!names) {
    for (uint64_t i = 0; i < rows; ++i) grid.rows[i].push_back(number_cell(i));
    return;
  }
  const Elements elements = names->peek(range(0, rows));
  for (uint64_t i = 0; i < rows; ++i) grid.rows[i].push_back(cell_of(names->dtype(), elements, i));
}

// Adds the first values of each column. Requires: the grid has its rows.
void add_columns(Grid& grid, const std::vector<Column>& columns) {
  const uint64_t rows = grid.rows.size();
  for (const Column& column : columns) {
    grid.header.push_back({column.name, is_right_aligned(column.values->dtype())});
    if (rows == 0) continue;
    const Elements elements = column.values->peek(range(0, rows));
    for (uint64_t i = 0; i < rows; ++i) grid.rows[i].push_back(cell_of(column.values->dtype(), elements, i));
  }
}

std::optional<Grid> rows_of(const Table& table) {
  const uint64_t rows = std::min(table.rows, kMaxRows);
  std::vector<Column> columns = flat_columns(table);
  const size_t all = columns.size();
  if (all > kMaxColumns) columns.resize(kMaxColumns);
  Grid grid{caption_of(rows, table.rows, "rows")};
  if (columns.size() < all)
    grid.caption += fmt::format(", {} of {} columns", columns.size(), count_text(all));
  grid.header.push_back({checked_row_names(table) ? "name" : "row", false});
  add_row_names(grid, table.row_names, rows);
  add_columns(grid, columns);
  return grid;
}

Grid empty_grid(const Table& table, const std::vector<Column>& columns, uint64_t rows) {
  Grid grid;
  grid.header.push_back({checked_row_names(table) ? "name" : "row", false});
  for (const Column& column : columns)
    grid.header.push_back({column.name, is_right_aligned(column.values->dtype())});
  grid.rows.resize(rows);
  return grid;
}

// Names of rows and columns, from an index on.
struct From {
  ArrayPtr names;  // null: use their numbers
  uint64_t first;
};

Grid::Cell name_cell(const From& from, uint64_t i) {
  return name_cell(from.names, from.first + i);
}

std::string caption_from(uint64_t first, uint64_t shown, uint64_t all, const char* what) {
  if (first == 0) return caption_of(shown, all, what);
  return fmt::format("{} {} from {} on, of {}", shown, what, count_text(first), count_text(all));
}

// Rows and columns are in the order users see. An array of rank above 2 shows a plane of its last two axes.
std::optional<Grid> rows_of(const LabelledArray& array, const Plane& plane) {
  const ArrayPtr& values = array.labels ? array.labels : array.values;
  values->check();
  if (values->is_null()) return std::nullopt;
  const Shape& shape = values->shape();
  const size_t rank = shape.size();
  const bool is_turned = values->column_major() && rank > 1;
  const size_t first_axis = is_turned ? 1 : rank > 1 ? rank - 2 : 0;
  const size_t second_axis = is_turned ? 0 : rank > 1 ? rank - 1 : 0;
  // The labels of an array may have a rank of their own (text of a matrix of characters).
  Box box{plane.origin.size() == rank ? plane.origin : Shape(rank, 0), Shape(rank, 1)};
  if (is_turned) std::reverse(box.origin.begin(), box.origin.end());
  const uint64_t from_row = rank == 0 ? 0 : box.origin[first_axis],
                 from_column = rank < 2 ? 0 : box.origin[second_axis];
  const uint64_t all_rows = rank == 0 ? 1 : shape[first_axis],
                 all_columns = rank < 2 ? 1 : shape[second_axis];
  const uint64_t rows = std::min(all_rows - from_row, kMaxRows),
                 columns = std::min(all_columns - from_column, kMaxColumns);
  Grid grid{caption_from(from_row, rows, all_rows, rank == 0 ? "value" : rank == 1 ? "values" : "rows")};
  if (columns < all_columns)
    grid.caption += fmt::format(", {} of {} columns", columns, count_text(all_columns));
  if (rank > 2) grid.caption += ", of one plane";
  const bool has_names = rank <= 2, is_number = is_right_aligned(values->dtype());
  const From row_names{has_names ? array.row_names : nullptr, from_row};
  const From column_names{has_names ? array.column_names : nullptr, from_column};
  grid.header.push_back({row_names.names ? "name" : "", false});
  for (uint64_t c = 0; c < columns; ++c)
    grid.header.push_back({rank < 2 ? "value" : name_cell(column_names, c).text, is_number});
  if (rows == 0 || columns == 0 || element_count(shape) == 0) return grid;
  if (rank > 0) box.extent[first_axis] = rows;
  if (rank > 1) box.extent[second_axis] = columns;
  const Elements elements = values->peek(box);
  for (uint64_t r = 0; r < rows; ++r) {
    std::vector<Grid::Cell>& row = grid.rows.emplace_back();
    row.push_back(name_cell(row_names, r));
    for (uint64_t c = 0; c < columns; ++c)
      row.push_back(cell_of(values->dtype(), elements, is_turned ? c * rows + r : r * columns + c));
  }
  return grid;
}

std::optional<Grid> rows_of(const LabelledArray& array) {
  return rows_of(array, Plane{Shape(array.values->shape().size(), 0)});
}

// Returns "The first 12 of 1,234 values" in storage order.
std::optional<Grid> rows_of(const SparseMatrix& matrix) {
  if (matrix.error) throw *matrix.error;
  if (matrix.evaluate) return std::nullopt;
  const uint64_t all = matrix.value->count(), entries = std::min(all, kMaxRows);
  Grid grid{caption_of(entries, all, "values, in stored order"), false};
  grid.header = {{"row", false}, {"column", false}, {"value", true}};
  if (entries == 0) return grid;
  const IndexRun<uint64_t> pointers(*matrix.pointer, 0, std::min(matrix.majors() + 1, kMaxPointers), all + 1,
                                    "pointer");
  const IndexRun<uint64_t> places(*matrix.index, 0, entries, matrix.minors(), matrix.minor_word());
  const std::span<const uint64_t> ends = pointers.values();
  const Elements values = matrix.value->peek(range(0, entries));
  for (uint64_t i = ends.front(), major = 0; i < entries; ++i) {
    while (major + 1 < ends.size() && ends[major + 1] <= i) ++major;
    if (major + 1 >= ends.size()) break;
    const uint64_t minor = places.values()[i];
    grid.rows.push_back({name_cell(matrix.row_names, matrix.by_row ? major : minor),
                         name_cell(matrix.column_names, matrix.by_row ? minor : major),
                         cell_of(matrix.value->dtype(), values, i)});
  }
  return grid;
}

// Returns a grid of columns of equal length that do not form a table of the store.
Grid grid_of(const std::vector<Column>& columns, uint64_t all, const char* what) {
  const uint64_t rows = std::min(all, kMaxRows);
  Grid grid{caption_of(rows, all, what), false};
  grid.rows.resize(rows);
  add_columns(grid, columns);
  return grid;
}

// Returns fragments like fragments.tsv. Ends are one less than in the store.
std::optional<Grid> rows_of(const Fragments& fragments) {
  if (fragments.error) throw *fragments.error;
  if (fragments.evaluate) return std::nullopt;
  const uint64_t all = fragments.start->count(), wanted = std::min(all, kMaxRows);
  Grid grid{caption_of(wanted, all, "fragments"), false};
  grid.header = {{"chromosome"}, {"start", true}, {"end", true}, {"cell"}};
  for (uint64_t c = 0; c < fragments.chr_names->count() && grid.rows.size() < wanted; ++c) {
    const IndexRun<uint64_t> pointers(*fragments.chr_pointer, 2 * c, 2, all + 1, "chromosome pointer");
    const uint64_t first = pointers.values()[0], end = pointers.values()[1];
    if (first > end) throw damaged("chromosome {} is [{}, {}) of {} fragments", c, first, end, all);
    const uint64_t count = std::min(end - first, wanted - grid.rows.size());
    const IndexRun<uint64_t> starts(*fragments.start, first, count, UINT64_MAX, "start");
    const IndexRun<uint64_t> ends(*fragments.end, first, count, UINT64_MAX, "end");
    const IndexRun<uint64_t> cells(*fragments.cell, first, count, fragments.cell_names->count(), "cell");
    for (uint64_t i = 0; i < count; ++i) {
      if (ends.values()[i] == 0) throw damaged("fragment {} ends at 0", first + i);
      grid.rows.push_back({name_cell(fragments.chr_names, c), number_cell(starts.values()[i]),
                           number_cell(ends.values()[i] - 1),
                           name_cell(fragments.cell_names, cells.values()[i])});
    }
  }
  return grid;
}

std::optional<Grid> rows_of(const SequenceLengths& sequences) {
  if (sequences.error) throw *sequences.error;
  return grid_of({{"sequence", sequences.names}, {"length", sequences.lengths}}, sequences.names->count(),
                 "sequences");
}

// Other nodes have a table or an array beside or below them.
std::optional<Grid> rows_of(const Error& error) {
  throw error;
}
template <class Other>
std::optional<Grid> rows_of(const Other&) {
  return std::nullopt;
}

}  // namespace

std::optional<Grid> first_rows(const Node& node) {
  return std::visit([](const auto& content) { return rows_of(content); }, node.content);
}

std::optional<Grid> first_rows(const LabelledArray& array, const Plane& plane) {
  return rows_of(array, plane);
}

Grid grid_from(const Table& table, const std::vector<Column>& columns, uint64_t first, uint64_t count) {
  Grid grid = empty_grid(table, columns, count);
  if (count == 0) return grid;
  const auto add = [&](const Array& values) {
    const Elements elements = values.peek(range(first, count));
    for (uint64_t i = 0; i < count; ++i) grid.rows[i].push_back(cell_of(values.dtype(), elements, i));
  };
  if (table.row_names) {
    add(*table.row_names);
  } else {
    for (uint64_t i = 0; i < count; ++i) grid.rows[i].push_back(number_cell(first + i));
  }
  for (const Column& column : columns) add(*column.values);
  return grid;
}

Grid chosen_grid(const Table& table, const std::vector<Column>& columns, const std::vector<uint32_t>& rows) {
  Grid grid = empty_grid(table, columns, rows.size());
  // Uses read() instead of peek(): the next row is likely to be in the same chunk.
  const auto add = [&](const Array& values) {
    for (size_t i = 0; i < rows.size(); ++i)
      grid.rows[i].push_back(cell_of(values.dtype(), values.read(range(rows[i], 1)), 0));
  };
  if (table.row_names) {
    add(*table.row_names);
  } else {
    for (size_t i = 0; i < rows.size(); ++i) grid.rows[i].push_back(number_cell(rows[i]));
  }
  for (const Column& column : columns) add(*column.values);
  return grid;
}

std::string element_text(const Array& array, uint64_t i) {
  const Box box = array.shape().size() == 1 ? range(i, 1) : whole(array.shape());
  return cell_of(array.dtype(), array.peek(box), 0).text;
}

std::vector<ColumnFact> column_facts(const Table& table) {
  std::vector<ColumnFact> facts;
  for (const ColumnSummary& column : column_summaries(table)) {
    ColumnFact fact{column.name, column.type};
    if (column.level_count) fact.levels = count_text(*column.level_count);
    for (size_t i = 0; i < column.first_levels.size(); ++i)
      fact.levels += (i == 0 ? ": " : ", ") + shortened(column.first_levels[i], kMaxCellBytes);
    if (!column.first_levels.empty() && column.first_levels.size() < *column.level_count)
      fact.levels += ", …";
    facts.push_back(std::move(fact));
  }
  return facts;
}

}  // namespace plainfs::serve
