// The markers of a level: the genes by which its cells differ from all other cells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fs/serve/http/query.h"
#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// The numbers of a gene, as scanpy's rank_genes_groups has them.
struct Marker {
  uint64_t gene = 0;
  double score = 0, p = 1, adjusted = 1;
  double log2_change = 0;            // of the means, which are taken for logarithms of counts and 1
  double share = 0, share_rest = 0;  // of cells with a value that is not zero
};

// The genes with the highest scores first; equal scores keep the order of the genes. Genes with values that
// are missing or infinite are left out.
struct Markers {
  std::vector<Marker> genes;
  uint64_t left_out = 0;
};

// Returns the memory that the test takes for each cell.
uint64_t bytes_a_cell_of_markers();

// Adds the markers that ?markers=COLUMN:LEVEL asks for, 100 genes from ?from= on, and with ?numbers=csv all
// of them as a file. A level that does not exist becomes a problem. matrix: the one to read. Reads all of it,
// and throws Cancelled once the client has left; unsupported if neither the memory nor the disk has room for
// the sorted matrix.
void add_markers(const Query& query, const PageCells& cells, const GeneMatrix& matrix, PageModel& page);

}  // namespace plainfs::serve
