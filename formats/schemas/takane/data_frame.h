// takane's data_frame 1.x: basic columns in one HDF5 file, other columns and annotations as objects of their
// own. The directory shows data_frame.csv (the whole table, columns that are data frames themselves joined
// in), data_frame/ (column by column), and the child objects. Rules that leave nothing to show throw at open;
// others make only the table damaged, or are warned of. Source: takane 0.10.0, include/takane/data_frame.hpp.
#pragma once

#include <cstdint>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Throws damaged or unsupported where version, file, groups or column names are not as the format has them.
// opening.sides.rows: the row names of one that has none, if they fit.
Node open_data_frame(const Opening& opening);

// The row-count of the data frame at place. Throws as open_data_frame, and where row-count breaks a rule.
uint64_t data_frame_rows(const ObjectPlace& place, const ObjectFile& object, Context& context);

// Its row names, null where it has none. Throws as open_data_frame, and where they are no list of texts.
ArrayPtr data_frame_row_names(const ObjectPlace& place, const ObjectFile& object, Context& context);

// The whole of it. Throws where a rule is broken that makes the table damaged.
Table data_frame_table(const ObjectPlace& place, const ObjectFile& object, Context& context);

}  // namespace plainfs::takane
