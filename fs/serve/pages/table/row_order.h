// The rows of a table that a page shows, and their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/arrays/array.h"

namespace plainfs::serve {

// Tables with more rows are shown in their own order only.
inline constexpr uint64_t kMaxSortedRows = uint64_t{1} << 24;
// Columns with more distinct texts are not sorted.
inline constexpr uint64_t kMaxSortedTexts = uint64_t{1} << 20;

// Returns the rows that have `level` in a column, in ascending order; nullopt if the column has no such
// level, or too many levels other than texts. Reads the whole column. Requires: column.count() <=
// kMaxSortedRows.
std::optional<std::vector<uint32_t>> rows_with_level(const Array& column, const std::string& level);

// Returns the rows with a number from `low` to `high` in a column, both included, in ascending order. Reads
// the whole column. Requires: it has numbers; column.count() <= kMaxSortedRows.
std::vector<uint32_t> rows_between(const Array& column, double low, double high);

// Returns the rows with a value that contains `part`, in any case of its letters, in ascending order. Reads
// the whole column. Requires: column.count() <= kMaxSortedRows.
std::vector<uint32_t> rows_holding(const Array& column, std::string_view part);

// Sorts `rows` (null: all rows) by the values of a column and returns rows [first, first + count) of the
// result. Numbers are sorted by value, factors by level, texts by their bytes. Rows without a value come
// last, and equal rows keep their order. falls: descending. Reads the whole column and fully sorts only the
// rows returned. Throws unsupported for a column without an order. Requires: column.count() <=
// kMaxSortedRows.
std::vector<uint32_t> sorted_rows(const Array& column, bool falls, const std::vector<uint32_t>* rows,
                                  uint64_t first, uint64_t count);

}  // namespace plainfs::serve
