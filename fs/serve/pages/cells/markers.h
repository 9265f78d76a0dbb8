// The markers of a level: the genes by which its cells differ from all other cells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fs/serve/http/query.h"
#include "fs/serve/pages/cells/compared_genes.h"
#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/site/shared_runs.h"
#include "fs/serve/site/work_budget.h"

namespace plainfs::serve {

using MarkerRuns = SharedRuns<Markers>;

// Returns the markers that ?markers=COLUMN:LEVEL asks for: those that are kept, else those of a run that all
// equal requests share. The run takes its share of the budget, so the caller must hold none. Returns null if
// there are no genes or no such level. Reads all of the matrix. Throws the errors of reading it, and what
// MarkerRuns::wait() throws.
MarkersPtr wait_for_markers(const Query& query, const PageCellsPtr& cells, MarkerRuns& runs,
                            const std::shared_ptr<WorkBudget>& budget, const MarkerRuns::Watch& watch);

// Returns what a client that waits for markers is shown, "Comparing 20,000 genes in 60,000 cells".
std::string text_for_waiting(const Query& query, const PageCells& cells);

// Adds the table of the markers that wait_for_markers() returned, 100 genes from ?from= on, and with
// ?numbers=csv all of them as a file. Without markers adds the problem.
void add_markers(const Query& query, const PageCells& cells, const MarkersPtr& markers, PageModel& page);

}  // namespace plainfs::serve
