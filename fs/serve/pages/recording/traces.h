// A time series of NWB as traces: the channels and the stretch of time that an address chooses, in the unit
// of the data.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

inline constexpr uint64_t kMaxSamples = uint64_t{1} << 20;  // of each channel on a page

// Returns elements [first, first + count) of an array of numbers, NaN for a missing one.
std::vector<double> numbers_of(const Array& array, uint64_t first, uint64_t count);

// Returns the stretch of seconds in a query, ?start= and ?seconds=, cut to `all`. Parts that are not in the
// recording become problems.
Interval stretch_of(const Query& query, const Interval& all, std::vector<Problem>& problems);
// Adds the form that chooses the stretch, after the other fields.
void add_stretch_form(const Query& query, const Interval& stretch, std::vector<FormField> fields,
                      PageModel& page);

// Adds the traces of a series, the form that chooses them, and the files of what is shown. node: the series'
// group. series: its first column is the time.
void add_traces(const Query& query, const Node& node, const Table& series, PageModel& page);

// Answers ?file=csv or ?file=parquet of the folder of a time series: the samples that its page shows with the
// same query. Returns false for other places and queries. Throws InvalidQuery for parts that it does not
// have.
bool answer_traces(const Exchange& exchange, const Site::Place& place);

}  // namespace plainfs::serve
