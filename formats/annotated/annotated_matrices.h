// Which groups hold an annotated matrix, and what it is: AnnData, Seurat's assays, 10x matrices, loom files,
// experiments, and stores that are one sparse matrix. Told by the meaning that members have, so that each is
// found in every container it may stand in.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs {

struct FoundAnnotatedMatrix {
  std::string name;                       // of the file that shows it, without an extension
  std::function<AnnotatedMatrix()> make;  // throws where a part that it needs cannot be read
  bool has_obs = false;                   // obs has columns, or may have some: what it is cannot be read
};

// Of a directory and its members, refined; reads no data, nor lists more than its members'.
std::vector<FoundAnnotatedMatrix> annotated_matrices(const Node& directory, Context& context);

// The one whose parts are shown in the directory itself: where one of an assay of Seurat's is found, in that
// assay's. As above; nullopt where there is none, or are several.
std::optional<FoundAnnotatedMatrix> annotated_matrix_of(const Node& directory, Context& context);

// What kind of feature ("Gene Expression") each of the rows of a matrix is, where the store keeps that; else
// null.
ArrayPtr feature_types(const Node& matrix, uint64_t rows, Context& context);

}  // namespace plainfs
