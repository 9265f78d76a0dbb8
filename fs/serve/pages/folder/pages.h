// The pages of one function each. The page of a member consists of parts that are added to a PageModel. The
// page of a folder of names and that of an error are whole answers.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/model/node.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// array_page.cc: an array as a picture. It is a line for one axis, a heat map for two, a plane chosen in the
// address for more, and points in a plane for the rows of an embedding.

// Adds the picture, the form that chooses its content, and the rows. name: the name of the array.
// is_embedding: the rows are cells and the columns their coordinates. Parts of the query that do not exist in
// the array become problems. Reads only what the picture shows, at most 2^23 elements. Throws the errors of
// reading.
void add_array(const Query& query, const LabelledArray& array, const std::string& name, bool is_embedding,
               PageModel& page);

// recording_page.cc: an NWB recording over time. A series is a trace, spike times are a raster.

// Adds the picture of a time series, or of a table with a column spike_times. Adds nothing for other nodes.
// ?start= and ?seconds= choose the stretch. Reads at most 2^22 values. Throws the errors of reading.
void add_recording(const Query& query, const Node& node, PageModel& page);

// names_page.cc: a folder of very many names (genes/, cells/) in pages of 500, with a search field.

inline constexpr uint64_t kNamesOnPage = 500;

// Answers with a page of names. Returns false if the folder does not list parts, or has only one page.
// Creates entries only for the names that it shows.
bool answer_names(const Exchange& exchange, const Site::Place& place);

// error_page.cc: an error with links back, to the folders that exist and to the nearest names in the last of
// them.

// Returns whether the client accepts HTML pages, as browsers state.
bool wants_page(const Exchange& exchange);

// Answers with the page of an error. what: text. Reads only the names of one folder of the store.
void answer_error_page(const Exchange& exchange, int status, const std::string& what);

}  // namespace plainfs::serve
