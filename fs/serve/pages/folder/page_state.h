// The state that pages keep between requests: annotated matrices, and the cards of stores.
#pragma once

#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/folder/kept_cards.h"

namespace plainfs::serve {

// Thread-safe.
struct PageState {
  KeptCells cells;
  KeptCards cards;
};

}  // namespace plainfs::serve
