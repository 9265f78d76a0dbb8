// Several genes on one page: their pictures side by side, two against each other, and all of them by level.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/serve/http/query.h"
#include "fs/serve/pages/cells/cell_colour.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

inline constexpr size_t kMaxGenesOnPage = 50;
// The memory that several genes take for each cell: two of them are held at once.
inline constexpr uint64_t kBytesACellOfGenes = 64;

// Returns the names of a list with commas, semicolons, tabs or line breaks, each once. Without these, blanks
// separate names.
std::vector<std::string> names_in_list(const std::string& text);

// The places and the levels of the cells of several genes.
struct GenesBy {
  const CellPlaces* places = nullptr;  // null: the cells have no places
  std::string column{};                // with the levels of `groups`; empty: no levels
  const CellGroups* groups = nullptr;
};

// Returns the numbers of genes by the levels of one column, a row for each gene and level.
Table numbers_by_level(const std::vector<Distribution>& genes);

// Adds the cells coloured by each gene, a plot of two genes against each other, and for each level the
// numbers of all genes, as dots, as violins and as a table. ?scale=gene colours the dots from the least to
// the greatest mean of each gene, and ?numbers= adds the table as a file. A name that is neither a gene
// nor a column of numbers becomes a problem with links to the list with a near name in its place. matrix:
// null means the first that has a gene. Throws changed.
void add_genes(const Query& query, const PageCells& cells, const std::vector<std::string>& names,
               const GeneMatrix* matrix, const GenesBy& by, PageModel& page);

}  // namespace plainfs::serve
