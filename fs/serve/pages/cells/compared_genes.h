// Compares the genes of a matrix between the cells of a level and the rest, as scanpy's rank_genes_groups
// does with method="wilcoxon" and tie_correct=True.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/site/shared_runs.h"
#include "fs/serve/site/work_budget.h"

namespace plainfs::serve {

// The chosen cells of a level, some but not all.
struct Level {
  std::string column, name;
  std::vector<uint8_t> is_chosen;  // one for each cell
  uint64_t cells = 0;
};

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

inline constexpr uint64_t kMaxBlockBytes = uint64_t{128} << 20;

// Returns the markers of a level. Reads a sparse matrix a few times: once to count its entries, and once for
// each block of genes with values of at most block_bytes; if there are many blocks, it is sorted first.
// The memory is a share of the budget. Throws the errors of reading, Busy, and Cancelled.
Markers compare_genes(const PageCells& cells, const GeneMatrix& matrix, const Level& level,
                      WorkBudget& budget, RunProgress& progress, uint64_t block_bytes = kMaxBlockBytes);

}  // namespace plainfs::serve
