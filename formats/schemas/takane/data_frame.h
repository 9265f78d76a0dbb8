// takane's data_frame 1.x: basic columns in one HDF5 file, other columns and annotations as objects of their
// own. The directory shows data_frame.csv (the whole table, including the columns of nested data frames),
// data_frame/ (column by column), and the child objects. A violation that leaves nothing to show throws on
// opening; any other makes only the table damaged, or logs a warning. Source: takane 0.10.0,
// include/takane/data_frame.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Opens a data frame. opening.sides.rows: the row names if the object has none, used if they fit. Throws
// damaged or unsupported if its version, file, groups or column names violate the format.
Node open_data_frame(const Opening& opening);

// Returns the row-count of the data frame at place. Throws like open_data_frame, and if row-count breaks a
// rule.
uint64_t data_frame_rows(const ObjectPlace& place, const ObjectFile& object, Context& context);

struct FrameRows {
  std::optional<uint64_t> count;  // nullopt: row-count breaks a rule
  ArrayPtr names;                 // null: no names
};

// Returns the number of rows and their names. Throws like open_data_frame, and if the names are not a list of
// texts.
FrameRows data_frame_rows_and_names(const ObjectPlace& place, const ObjectFile& object, Context& context);

// Returns the whole table. Throws if a broken rule makes it damaged.
Table data_frame_table(const ObjectPlace& place, const ObjectFile& object, Context& context);

}  // namespace plainfs::takane
