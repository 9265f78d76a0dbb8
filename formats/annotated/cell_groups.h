// The cells of an annotated matrix in groups, by what a column of its obs says of them: the clusters of a
// clustering, the samples of a study. For views of the cells of one group, and sums over each.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/annotated_matrix.h"

namespace plainfs {

// What the levels of a column are, and so whether they are few enough to be shown without being asked for.
enum class ColumnLevels {
  none,     // it has no levels: lists, records, complex numbers
  few,      // categories, truth values
  texts,    // as many as there are different texts
  numbers,  // also times
};
// Looks at the type alone.
ColumnLevels levels_of(const Array& column);

struct CellGroups {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // As a .csv shows them, those of at least one cell: categories in their order, FALSE before TRUE, texts by
  // their bytes, numbers rising. Different categories may have the same text, nothing else has.
  std::vector<std::string> levels;
  // Of each cell, where its level stands; kNone where it has no value (missing, NaN, not a time).
  std::vector<uint32_t> cells;
};

// Of a column of obs; nullopt where there are more levels than most. Reads all of the column, of texts no
// more than tells that there are too many. Throws what reading throws, and unsupported for a column without
// levels or of over 2^32 - 2 cells.
std::optional<CellGroups> cell_groups(const Array& column, uint64_t most = CellGroups::kNone);

// Whether a column's groups are shown to who does not ask for them: its levels are few, or at most 10,000
// texts. One that cannot be read is, so that it can be asked why. May read all of the column.
bool has_listed_groups(const Array& column);
// The same of a column of matrix.obs; not of the one that the cells' names are.
bool has_listed_groups(const AnnotatedMatrix& matrix, const Column& column);

}  // namespace plainfs
