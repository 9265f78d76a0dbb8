// A table in pages: sorted by a column, filtered by a level or by the names of its rows, with a summary of
// each column. The address of the page holds the choice (?from=1000&sort=-pct_mito&where=leiden:3&find=AAAC).
// Several ?where= hold together, and that of a column of numbers may be a range (n_genes:200..5000, 200..,
// ..5000). The row names are the column `_index` there, unless a column has that name.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

inline constexpr uint64_t kRowsOnPage = 100;
inline constexpr uint64_t kColumnsOnPage = 24;

// Adds the form, the rows and the links to other pages. Parts of the query that do not exist become problems
// with links to the nearest names. Reads each column shown once, and the columns of the order and of the
// filter. Throws the errors of reading.
void add_table(const Query& query, const Table& table, PageModel& page);

// Returns the rows that the query asks for, in its order: those of ?where= and ?find=, sorted by ?sort=.
// Throws not_found for what the table does not have, and the errors of reading.
std::vector<uint32_t> asked_rows(const Query& query, const Table& table);
// Like it, but adds what the table does not have to `problems`.
std::vector<uint32_t> asked_rows(const Query& query, const Table& table, std::vector<Problem>& problems);

// The parts that a page shows of a table besides its own columns and rows.
struct TableParts {
  std::vector<FormField> fields{};              // come first in the form
  const std::vector<uint32_t>* rows = nullptr;  // ascending; null: all rows
  std::string text{};                           // of these rows, in the caption: " in chr1"
  std::vector<Column> more{};                   // columns without an order and a summary
};
void add_table(const Query& query, const Table& table, const TableParts& parts, PageModel& page);

}  // namespace plainfs::serve
