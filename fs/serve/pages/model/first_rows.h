// The first rows of a member of a store, with values formatted like in a .csv. Reads no more than the chunks
// that contain them.
#pragma once

#include <optional>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// A plane of an array's last two axes, in the order users see them: its origin along each axis.
struct Plane {
  Shape origin;
};

inline constexpr uint64_t kMaxRows = 12;
inline constexpr uint64_t kMaxColumns = 24;

// Returns nullopt for a member without rows, or one that requires a pass. Throws the errors of reading.
std::optional<Grid> first_rows(const Node& node);

// Returns the first rows of a plane of an array, from its origin on. Throws like first_rows(node).
std::optional<Grid> first_rows(const LabelledArray& array, const Plane& plane);

// Describes each column of a table: its type, and for a factor how many levels it has and the first of them.
std::vector<ColumnFact> column_facts(const Table& table);

// Returns rows of a table with the given columns: the rows [first, first + count), or the rows listed. The
// first header is that of the row names; there is no caption. Reads only the chunks that contain the rows.
Grid grid_from(const Table& table, const std::vector<Column>& columns, uint64_t first, uint64_t count);
Grid chosen_grid(const Table& table, const std::vector<Column>& columns, const std::vector<uint32_t>& rows);

// Returns element i of an array as a .csv formats it. Requires: it has one axis, or is of one element.
std::string element_text(const Array& array, uint64_t i);

}  // namespace plainfs::serve
