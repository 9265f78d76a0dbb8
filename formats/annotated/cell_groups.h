// Groups of the cells of an annotated matrix by a column of obs: the clusters of a clustering, the samples of
// a study. Used to show the cells of one group, and sums over each group.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"

namespace plainfs {

// The kind of a column's levels, which decides whether they are few enough to be listed.
enum class ColumnLevels {
  none,     // it has no levels: lists, records, complex numbers
  few,      // categories, truth values
  texts,    // as many as there are different texts
  numbers,  // also times
};
// Returns the kind of the levels of column. Looks at the type alone.
ColumnLevels levels_of(const Array& column);

struct CellGroups {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // The levels of at least one cell, as a .csv shows them: categories in their order, FALSE before TRUE,
  // texts sorted by bytes, numbers ascending. Only different categories may have the same text.
  std::vector<std::string> levels;
  // The index of each cell's level; kNone if the cell has no value (missing, NaN, not a time).
  std::vector<uint32_t> cells;
};

// Returns the groups of a column of obs; nullopt if it has more than `most` levels. Reads the whole column;
// of texts, only until the levels are too many. Throws what reading throws, and unsupported for a column
// without levels or of over 2^32 - 2 cells.
std::optional<CellGroups> cell_groups(const Array& column, uint64_t most = CellGroups::kNone);

// Returns whether the groups of a column are listed: its levels are few, or at most 10,000 texts. True for a
// column that cannot be read, so that opening it reports the error. May read the whole column.
bool has_listed_groups(const Array& column);
// Returns whether the groups of a column of matrix.obs are listed. False for the column that holds the names
// of the cells.
bool has_listed_groups(const AnnotatedMatrix& matrix, const Column& column);

}  // namespace plainfs
