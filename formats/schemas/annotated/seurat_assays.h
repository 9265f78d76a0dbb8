// The assays of an h5Seurat file.
#pragma once

#include <optional>
#include <vector>

#include "formats/schemas/annotated/annotated_matrices.h"

namespace plainfs::annotated {

// Of the group /assays of a file with cell.names and meta.data: an annotated matrix an assay, called as it
// is.
void find_seurat_assays(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found);

// Of one of its members, that assay's.
std::optional<FoundAnnotatedMatrix> find_seurat_assay(const Node& directory, Context& context);

}  // namespace plainfs::annotated
