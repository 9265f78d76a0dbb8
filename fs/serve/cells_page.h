// The part of a page that shows cells: a form that asks for a gene or a column, the places of the cells, and
// how the values are spread.
#pragma once

#include <optional>
#include <string>

#include "fs/serve/kept_cells.h"
#include "fs/serve/page_model.h"
#include "fs/serve/subject.h"

namespace plainfs::serve {

// The directory of the annotated matrix that a page is about: the page's own, or for the root of a Seurat
// object or a MuData that of an assay in it.
struct CellsPlace {
  Inode directory;
  std::string way{};                  // from the page to it, "assays/RNA/"; empty: its own
  std::vector<std::string> assays{};  // those to choose from; empty: there is no choice
  std::string assay{};
};

// Returns nullopt if the page is about no annotated matrix. Reads metadata.
std::optional<CellsPlace> cells_place(const Asked& asked, const Subject& subject);

// Adds the facts, the form, the pictures and the distribution of cells. What the address asks for and is not
// there becomes a problem with links to the nearest. Throws what reading throws.
void add_cells(const Asked& asked, const Subject& subject, const CellsPlace& place, const PageCells& cells,
               PageModel& page);

// Returns a small picture of the cells of a place, coloured by their first column; empty if there is none.
std::string cells_thumbnail(const PageCells& cells);

}  // namespace plainfs::serve
