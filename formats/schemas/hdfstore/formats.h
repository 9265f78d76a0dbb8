// The two formats in which pandas stores a frame or a series.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::hdfstore {

// Both return the table of a group with the attribute pandas_type, as its container returns it. A column that
// cannot be read is an array that throws the reason on every use. They throw damaged or unsupported if the
// columns cannot be determined.
//
// Reads the fixed format ("frame" and "series"): an array for the names on each axis, and one for the values
// of each type.
Table fixed_table(const Group& group, const Attributes& attributes, Context& context);
// Reads the table format ("frame_table" and "series_table"): an array of compounds, with attributes that
// describe its columns.
Table compound_table(const Group& group, const Attributes& attributes, Context& context);

}  // namespace plainfs::hdfstore
