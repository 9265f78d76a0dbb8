// AnnData's groups.
#pragma once

#include <vector>

#include "formats/schemas/annotated/annotated_matrices.h"

namespace plainfs::annotated {

// Of a group whose members obs and var are tables, or compounds of anndata 0.5 and 0.6.
void find_anndata(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

}  // namespace plainfs::annotated
