// A table by pages: sorted by a column, filtered by a level, with a summary of each column, all in the
// address of the page (?from=1000&sort=-pct_mito&where=leiden:3).
#pragma once

#include "fs/serve/page_model.h"
#include "fs/serve/query.h"

namespace plainfs::serve {

inline constexpr uint64_t kRowsOnPage = 100;
inline constexpr uint64_t kColumnsOnPage = 24;

// Adds the form, the rows and the links to the pages around them. What the address asks for and is not there
// becomes a problem with links to the nearest. Reads each column that is shown once, the one to sort by and
// the one of the filter. Throws what reading throws.
void add_table(const Query& query, const Table& table, PageModel& page);

}  // namespace plainfs::serve
