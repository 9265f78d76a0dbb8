// The first rows of what a store holds, with the words that a .csv has for its values. Little is read for
// them: no more than the chunks that hold them.
#pragma once

#include <optional>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/serve/figures.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

inline constexpr uint64_t kMostRows = 12;
inline constexpr uint64_t kMostColumns = 24;

// nullopt of what has none, or of which it takes a pass to know. Throws what reading throws.
std::optional<Grid> first_rows(const Node& node);

// Returns the first rows of a plane of an array, from where it begins. Throws as first_rows(node).
std::optional<Grid> first_rows(const LabelledArray& array, const Plane& plane);

// What each column of a table holds; of those with levels how many there are and the first of them.
std::vector<ColumnFact> column_facts(const Table& table);

// Rows of a table, of these of its columns: the rows [first, first + count), and those that are named. The
// first header is that of the rows' names; there is no caption. Reads no other chunks than they are in.
Grid grid_from(const Table& table, const std::vector<Column>& columns, uint64_t first, uint64_t count);
Grid chosen_grid(const Table& table, const std::vector<Column>& columns, const std::vector<uint32_t>& rows);

// Element i of an array, as a .csv has it.
std::string element_words(const Array& array, uint64_t i);

}  // namespace plainfs::serve
