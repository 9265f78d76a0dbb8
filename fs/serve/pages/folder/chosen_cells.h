// Some of the cells of an annotated matrix: those that ?where= chooses by their columns, as a page, and as
// the files that by/ has for the cells of a level.
#pragma once

#include "fs/serve/http/query.h"
#include "fs/serve/pages/cells/cells_page.h"
#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Returns the cells that every ?where= of the request chooses, or `all` if it has none. A condition that no
// cell meets becomes a problem, and then `all` are returned. Throws the errors of reading, and Busy.
PageCellsPtr chosen_cells(const Exchange& exchange, const CellsPlace& place, Filesystem& filesystem,
                          const PageCellsPtr& all, PageModel& page);

// Answers ?take=FORM&where=… of the page of an annotated matrix, and anndata.h5ad?where=… or
// seurat.rds?where=… of a file, with a file of just these cells. Returns false if the request is for neither.
// Throws not_found for conditions and files that do not exist, so that no condition is ignored.
bool answer_chosen_cells(const Exchange& exchange, const Site::Place& place);

}  // namespace plainfs::serve
