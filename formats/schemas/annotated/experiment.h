// Bioconductor's summarized experiments, and what derives from them, in takane's directories.
#pragma once

#include <vector>

#include "formats/schemas/annotated/annotated_matrices.h"

namespace plainfs::annotated {

// Of a store's root with assays beside row_data or column_data. X is the first assay, as zellkonverter has
// it; the others are layers, reduced dimensions obsm.
void find_experiment(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

}  // namespace plainfs::annotated
