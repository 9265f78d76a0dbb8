// A TimeSeries of NWB: a group with `data`, with attributes that give the meaning of a number, and the times
// at which its rows were measured. Facts and their sources: FORMAT.md.
#pragma once

#include "formats/core/model/derived_group.h"

namespace plainfs::nwb {

// Returns the group with its series: the column `time` in seconds (`timestamps`, else `starting_time` and its
// rate), then `value`, or `value_0`, `value_1`, ... for data of rank 2, each value * conversion *
// channel_conversion + offset as a double. Null for any other group, and if its data are not numbers of rank
// 1 or 2 or have over 4,096 channels. Throws if the attributes that decide this cannot be read. Reads no
// data.
GroupPtr time_series_in(const GroupPtr& group);

}  // namespace plainfs::nwb
