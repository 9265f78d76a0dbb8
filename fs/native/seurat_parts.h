// A Seurat object of annotated matrices, as CreateSeuratObject makes one of the same parts.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/core/model/seurat_object.h"
#include "fs/native/column_matrix.h"

namespace plainfs {

// Which of its matrices become the slots of an assay.
struct SeuratMatrices {
  std::optional<SparseMatrix>
      counts;           // features by cells, in either order; of the same arrays as data where both are one
  SparseMatrix data;    // as counts
  ArrayPtr scaled;      // X, cells by genes; null = none
  bool is_raw = false;  // the features are those of raw
  bool same_genes = true;              // raw is not there, or names the same ones in the same order
  std::string counts_from, data_from;  // "layers/counts"; empty = none
};

// Counts are what is called so; or X or raw, where their first values are whole and none is below 0: a
// normalised matrix never is. Reads the first values of matrices, and of dense ones all. Throws unsupported
// where there is no matrix, damaged where one has other sides, and what it holds as its error.
SeuratMatrices seurat_matrices(const AnnotatedMatrix& matrix, Context& context);

// Whether its first 65,536 values are whole, finite and not below 0.
bool looks_like_counts(const Array& values);

// What they are made of alone ("layers/counts"; no counts = empty), by the first values of matrices at most.
struct SeuratSources {
  std::string counts, data;
};
SeuratSources seurat_sources(const AnnotatedMatrix& matrix, Context& context);

// matrices: for what counts the cells' counts, and for the object's writer. Reads all names, and what
// seurat_matrices() reads. What has no place in an object is told of. Throws unsupported where R could not
// have the object, damaged where parts do not fit.
SeuratObject seurat_object(const JointMatrices& joint, ColumnMatrices& matrices, Context& context);

}  // namespace plainfs
