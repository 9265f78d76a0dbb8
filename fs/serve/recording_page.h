// A recording of NWB over its seconds: a series as a trace, spike times as a raster.
#pragma once

#include "formats/core/model/node.h"
#include "fs/serve/page_model.h"
#include "fs/serve/query.h"

namespace plainfs::serve {

// Adds the picture of a node that is a time series, or a table with a column spike_times; nothing of any
// other. ?start= and ?seconds= choose the stretch. Reads at most 2^22 values. Throws what reading throws.
void add_recording(const Query& query, const Node& node, PageModel& page);

}  // namespace plainfs::serve
