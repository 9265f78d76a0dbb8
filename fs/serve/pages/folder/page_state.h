// The state that pages keep between requests: annotated matrices, runs that clients wait for, the cards of
// stores, and the stores of folders.
#pragma once

#include <memory>
#include <utility>

#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/cells/markers.h"
#include "fs/serve/pages/folder/kept_cards.h"
#include "fs/serve/pages/folder/store_tree.h"
#include "fs/serve/pages/table/table_work.h"
#include "fs/serve/site/work_budget.h"

namespace plainfs::serve {

// Thread-safe.
struct PageState {
  explicit PageState(std::shared_ptr<WorkBudget> budget) : work(std::move(budget)) {}

  KeptCells cells;
  MarkerRuns markers;
  KeptCards cards;
  StoreTrees trees;
  const std::shared_ptr<WorkBudget> work;
  TableWork tables{*work};
};

}  // namespace plainfs::serve
