// Bioconductor's summarized experiments, and what derives from them, in takane's directories and among R
// objects.
#pragma once

#include <vector>

#include "formats/schemas/annotated/annotated_matrices.h"

namespace plainfs::annotated {

// Of assays beside row_data or column_data: in takane's directories at a store's root, and anywhere where
// these are tables themselves, as R objects have them (there an alternative experiment is one too). X is the
// first assay, as zellkonverter has it; the others are layers, reduced dimensions obsm.
void find_experiment(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

}  // namespace plainfs::annotated
