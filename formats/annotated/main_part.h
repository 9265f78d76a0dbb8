// The part that stands for a store of several annotated matrices.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// Returns the folders of a store's root that contain a matrix of the store's cells each: assays, modalities,
// alternative experiments.
std::span<const std::string_view> folders_of_matrices();

// Returns the names from the root to that part: the active assay of a Seurat object, or the first modality of
// a MuData in the order of mod-order. Empty for any other store, and if the part cannot be determined. Reads
// no data.
std::vector<std::string> main_part(const Node& root);

// Returns the annotated matrix of the root or of its main part; nullopt without one. Reads no data. root:
// with the meaning that the schemas give it; its members need none.
std::optional<FoundAnnotatedMatrix> main_matrix(const Node& root, Context& context);

}  // namespace plainfs
