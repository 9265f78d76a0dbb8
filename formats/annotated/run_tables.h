// The tables of a run: a row for each barcode, in an order of their own and not for every cell, as columns in
// the order of the cells of a matrix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

// The cells of a matrix, by name.
class RunCells {
 public:
  // Reads the names. Throws unsupported if two cells have the same name.
  explicit RunCells(const ArrayPtr& names);

  uint64_t count() const { return names_.count; }
  // Returns the place of the cell called name, or kNoCell.
  uint64_t of(std::string_view name) const;

  static constexpr uint64_t kNoCell = ~uint64_t{0};

 private:
  const Elements names_;
  std::unordered_map<std::string_view, uint64_t> places_;
};

// A table with the barcodes in its first column.
class RunTable {
 public:
  // table: all columns, the barcodes first; text is read as numbers if all of it is. place: for messages.
  // Reads the barcodes; those of no cell are left out. Throws damaged if a cell has two rows.
  RunTable(Table table, const RunCells& cells, std::string place);

  size_t columns() const { return table_.columns.size(); }
  const std::string& name(size_t column) const { return table_.columns[column].name; }

  // Returns a column: whole numbers if all values are and no cell is without a value, else reals, NaN without
  // a value, else text. Reads it.
  ArrayPtr column(size_t column) const;
  // Returns a column as a factor with the levels of the cells, sorted by number if all are whole numbers.
  ArrayPtr factor(size_t column, Context& context) const;
  // Returns columns as the matrix of cells by columns: whole numbers if all of them are. Throws damaged
  // unless they hold numbers.
  ArrayPtr matrix(const std::vector<size_t>& columns) const;

 private:
  class Values;

  const Table table_;
  const std::string place_;
  std::vector<uint64_t> rows_;  // of each cell; RunCells::kNoCell = none
};

// Returns the table in a text of lines with commas, compressed or not. names: of its columns, for a text
// that may have no header; empty = it has one. A first line with a number in its second field is no header.
Table run_table_in_text(const std::string& location, const std::vector<std::string>& names, Context& context);

// Returns the table in a Parquet file, with all of its columns.
Table run_table_in_parquet(const std::string& location, Context& context);

}  // namespace plainfs::annotated
