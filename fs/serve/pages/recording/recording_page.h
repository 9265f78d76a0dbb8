// The page of an NWB recording over time. A series is a trace, spike times are a raster.
#pragma once

#include "formats/core/model/node.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Adds the picture of a time series, or of a table with a column spike_times. Adds nothing for other nodes.
// ?start= and ?seconds= choose the stretch. Reads at most 2^22 values. Throws the errors of reading.
void add_recording(const Query& query, const Node& node, PageModel& page);

}  // namespace plainfs::serve
