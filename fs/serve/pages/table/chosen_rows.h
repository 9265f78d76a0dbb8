// The rows of a table that a page shows, as a file: obs.csv?where=leiden:3&sort=-pct_mito.
#pragma once

#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/subject.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Returns whether a query chooses or sorts rows: ?where=, ?find=, ?sort=.
bool chooses_rows(const Query& query);

// Returns the files of a table, as .csv, .parquet and .xlsx, with the rows that the query chooses. Their
// addresses are relative to the page of the subject.
std::vector<TakeAs> files_of_rows(const Query& query, const Subject& subject);

// Answers a table's .csv, .parquet or .xlsx with the rows that the query chooses. Returns false if it chooses
// none. Throws not_found for parts of the query that the table does not have, and for other files, so that a
// filter is never ignored; unsupported for a table with lists; Busy.
bool answer_rows(const Exchange& exchange, const Site::Place& place);

}  // namespace plainfs::serve
