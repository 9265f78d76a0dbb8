// Which rows of a table a page shows, and in which order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/array.h"

namespace plainfs::serve {

// Tables of more rows are shown in their own order only.
inline constexpr uint64_t kMostSortedRows = uint64_t{1} << 24;
// A column of more different texts is not put in order.
inline constexpr uint64_t kMostSortedTexts = uint64_t{1} << 20;

// The rows that have a level of a column, rising; nullopt if the column has no such level, or too many. Reads
// all of the column. Requires: column.count() <= kMostSortedRows.
std::optional<std::vector<uint32_t>> rows_with_level(const Array& column, const std::string& level);

// Returns rows [first, first + count) of the rows (null: all of the column's) by what the column holds:
// numbers by their value, factors by their levels' order, texts by their bytes; rows without a value come
// last, equal ones in their own order. Reads all of the column and sorts no more than those. Throws
// unsupported for a column without an order. Requires: column.count() <= kMostSortedRows.
std::vector<uint32_t> sorted_rows(const Array& column, bool falls, const std::vector<uint32_t>* rows,
                                  uint64_t first, uint64_t count);

}  // namespace plainfs::serve
