// takane's data_frame 1.x: basic columns in one HDF5 file, other columns and annotations as objects of their
// own. The directory shows data_frame.csv (the whole table, columns that are data frames themselves joined
// in), data_frame/ (column by column), and the child objects. Rules that leave nothing to show throw at open;
// others make only the table damaged, or are warned of. Source: takane 0.10.0, include/takane/data_frame.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Throws damaged or unsupported where version, file, groups or column names are not as the format has them.
// opening.sides.rows: the row names of one that has none, if they fit.
Node open_data_frame(const Opening& opening);

// The row-count of the data frame at place. Throws as open_data_frame, and where row-count breaks a rule.
uint64_t data_frame_rows(const ObjectPlace& place, const ObjectFile& object, Context& context);

struct FrameRows {
  std::optional<uint64_t> count;  // none: row-count breaks a rule
  ArrayPtr names;                 // null: none
};

// How many it has and what they are called. Throws as open_data_frame, and where the names are no list of
// texts.
FrameRows data_frame_rows_and_names(const ObjectPlace& place, const ObjectFile& object, Context& context);

// The whole of it. Throws where a rule is broken that makes the table damaged.
Table data_frame_table(const ObjectPlace& place, const ObjectFile& object, Context& context);

}  // namespace plainfs::takane
