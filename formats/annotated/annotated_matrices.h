// Finds annotated matrices: groups of AnnData, Seurat's assays, 10x matrices, loom files, experiments, and
// stores that are one sparse matrix. They are recognised by the meaning of their members, so that each is
// found in every container.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs {

struct FoundAnnotatedMatrix {
  std::string name;                       // of the file that shows it, without an extension
  std::function<AnnotatedMatrix()> make;  // throws if a part that it needs cannot be read
  bool has_obs = false;                   // obs has columns, or cannot be read and may have some
  // The number of cells and of genes, if they are known without reading data.
  std::optional<uint64_t> cells{}, genes{};
  bool has_counts = true;  // false if it is known to have no X, counts or raw
  std::string assay{};     // the name that Seurat gives it; empty = its default
  // The reason why no file can hold X, if it is known without reading data. make() throws it.
  std::optional<Error> refusal{};
  // The features may be of several types, each of which is an assay of a Seurat object.
  bool has_feature_types = false;
};

// Returns the annotated matrices of a directory with refined members. Reads no data, and lists no more than
// the members of the members.
std::vector<FoundAnnotatedMatrix> annotated_matrices(const Node& directory, Context& context);

// Returns the annotated matrix with parts that are shown in the directory itself; for the directory of a
// Seurat assay, the matrix of that assay. Nullopt unless there is exactly one. Reads no data.
std::optional<FoundAnnotatedMatrix> annotated_matrix_of(const Node& directory, Context& context);

// Returns the kind of feature ("Gene Expression") of each of the rows of a matrix; null if the store does not
// hold it.
ArrayPtr feature_types(const Node& matrix, uint64_t rows, Context& context);

}  // namespace plainfs
