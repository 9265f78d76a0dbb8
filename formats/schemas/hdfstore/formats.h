// The two formats in which pandas keeps a frame or a series.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::hdfstore {

// group: as its container gives it, with the attribute pandas_type. A column that cannot be read is an array
// whose every use says why. Throws damaged or unsupported where it cannot be told what the columns are.

// "frame" and "series": an array for the names on each axis, and one for the values of each type.
Table fixed_table(const Group& group, const Attributes& attributes, Context& context);
// "frame_table" and "series_table": an array of compounds, whose columns its attributes describe.
Table compound_table(const Group& group, const Attributes& attributes, Context& context);

}  // namespace plainfs::hdfstore
