// A TimeSeries of NWB: a group with `data`, whose attributes say what a number of it means, and the times at
// which its rows were measured. Facts and their sources: FORMAT.md.
#pragma once

#include "formats/core/model/derived_group.h"

namespace plainfs::nwb {

// The group with its series: the column `time` in seconds (`timestamps`, else `starting_time` and its rate),
// then `value`, or `value_0`, `value_1`, ... of data of rank 2, each value * conversion * channel_conversion
// + offset as a double. Null where group is none, its data are no numbers of rank 1 or 2, or have over 4,096
// channels. Throws where the attributes that say so cannot be read. Reads no data.
GroupPtr time_series_in(const GroupPtr& group);

}  // namespace plainfs::nwb
