// The page of an NWB recording over time. A series is a trace, spike times are a raster.
#pragma once

#include "formats/core/model/node.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// The memory that the page takes for each: a value, its stored form, a spot and a place in the picture.
inline constexpr uint64_t kBytesARecordedValue = 64;

// Returns how many values of the recording add_recording() holds at once. Reads none.
uint64_t recorded_values(const Node& node);

// Adds the picture of a time series, or of a table with a column spike_times. Adds nothing for other nodes.
// ?start= and ?seconds= choose the stretch. A time series has the choices of add_traces(). Reads at most 2^22
// values of a column. Throws the errors of reading.
void add_recording(const Query& query, const Node& node, PageModel& page);

}  // namespace plainfs::serve
