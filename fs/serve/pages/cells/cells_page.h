// The part of a page that shows cells: a form that asks for a gene or a column, the positions of the cells,
// and the distribution of the values.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fs/serve/http/query.h"
#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/pages/model/subject.h"

namespace plainfs::serve {

// The directory of the annotated matrix that a page shows: the page's own directory, or that of an assay if
// the page is the root of a Seurat object or a MuData file.
struct CellsPlace {
  Inode directory;
  std::string href{};                 // relative to the page, "assays/RNA/"; empty: the page's own directory
  std::vector<std::string> assays{};  // to choose from; empty: no choice
  std::string assay{};
  // Returns another assay that has a gene; empty: none has it.
  std::function<std::string(const std::string& gene)> assay_of{};
};

// Returns nullopt if the subject has no annotated matrix. Reads metadata.
std::optional<CellsPlace> cells_place(const Exchange& exchange, const Subject& subject);

// The memory that a picture of cells takes for each: a value, a code, and numbers of places and points.
inline constexpr uint64_t kBytesACellShown = 32;
// The memory that the cells of the slides take for each: coordinates as found, moved and drawn.
inline constexpr uint64_t kBytesACellOnSlide = 64;
// The memory that the picture of a slide takes at most while it is made.
inline constexpr uint64_t kMaxSlideWork = uint64_t{32} << 20;
// The memory that outlines over it take at most: the numbers of the objects, as stored and as shown.
inline constexpr uint64_t kMaxOutlineWork = uint64_t{48} << 20;

// Returns the memory that the page of a query takes, 0 if it is little.
uint64_t work_of_cells(const Query& query, const PageCells& cells);
// Returns the memory that the cells over the picture of a slide take, 0 if it is little: less once the
// picture and the outlines of the query are kept.
uint64_t work_of_slide(const Query& query, const PageCells& cells);

// Adds the facts, the form, the pictures and the distribution of cells. Parts of the query that do not exist
// become problems with links to the nearest names. markers: those that the query asks for, or null. Throws
// the errors of reading.
void add_cells(const Exchange& exchange, const Subject& subject, const CellsPlace& place,
               const PageCells& cells, const MarkersPtr& markers, PageModel& page);

// Returns a small picture of the cells, coloured by their first column; empty if there are no positions.
std::string cells_thumbnail(const PageCells& cells);

}  // namespace plainfs::serve
