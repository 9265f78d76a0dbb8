// Markers that a store has: the results of scanpy's rank_genes_groups in uns, under any key, and data frames
// in the form of Seurat's FindAllMarkers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

class PageCells;

// One result: genes with their numbers for each level of a column.
struct StoredMarkers {
  std::string key;   // its path in uns: "rank_genes_groups", "misc/markers"
  std::string text;  // how it was computed, if the store has that: "leiden against rest, wilcoxon"
  std::vector<std::string> levels;
  uint64_t rows = 0;  // of all levels
  // Returns the rows of a level; nullopt: of all, with a first column of levels. Genes that scanpy's filter
  // has removed are left out. Reads the result.
  std::function<Table(std::optional<size_t> level)> table;
};

struct StoredMarkersFound {
  std::vector<StoredMarkers> results;
  std::vector<std::string> faults;  // results that cannot be read, and why
};

// Returns the results in uns. Reads names of columns, and the levels of data frames.
StoredMarkersFound stored_markers_of(const AnnotatedMatrix& matrix, Context& context);

// Returns the memory that a result takes while it is read.
uint64_t bytes_of_stored_markers(const StoredMarkersFound& found, const Query& query);

// Returns links to the levels of each result.
std::vector<Picks> stored_marker_links(const StoredMarkersFound& found, const Query& query);

// Adds the result that ?stored=KEY:LEVEL or ?stored=KEY asks for, 100 genes from ?from= on, and with
// ?numbers= all of them as a file. A result or level that does not exist becomes a problem.
void add_stored_markers(const Query& query, const PageCells& cells, PageModel& page);

}  // namespace plainfs::serve
