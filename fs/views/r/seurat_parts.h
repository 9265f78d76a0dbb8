// A Seurat object of annotated matrices, like the one that CreateSeuratObject builds from the same parts.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/contents/seurat_object.h"
#include "formats/core/model/context.h"
#include "formats/core/sparse/column_matrix.h"

namespace plainfs {

// The matrices of an annotated matrix that become the slots of an assay.
struct SeuratMatrices {
  std::optional<SparseMatrix>
      counts;  // features by cells, in either order; of the same arrays as data if both are the same matrix
  SparseMatrix data;                   // like counts
  ArrayPtr scaled;                     // X, cells by genes; null = none
  bool is_raw = false;                 // the features are those of raw
  bool same_genes = true;              // raw is missing, or has the same names in the same order
  std::string counts_from, data_from;  // "layers/counts"; empty = none
  std::string scaled_from;             // like counts_from
};

// Chooses the matrices. Counts are the matrix with that name, or X or raw if their first values are
// non-negative integers, which a normalised matrix never has. Reads the first values of matrices, and all
// values of dense ones. Throws unsupported if there is no matrix, damaged if its extents do not fit, and the
// matrix's own error.
SeuratMatrices seurat_matrices(const AnnotatedMatrix& matrix, Context& context);

// Returns the matrices of a layer, or of raw, that becomes an assay: counts are the data if they look like
// counts. Reads and throws like seurat_matrices().
SeuratMatrices matrices_of_layer(const std::string& name, const Content& layer, uint64_t cells,
                                 uint64_t genes, Context& context);

// Returns the place of a chosen matrix among AnnData's parts: "/layers/counts" for "layers/counts".
std::string place_of_matrix(const AnnotatedMatrix& matrix, const std::string& chosen);

// Returns whether the first 65,536 values are finite non-negative integers.
bool looks_like_counts(const Array& values);

// The names of the chosen matrices ("layers/counts"; empty if there are no counts). Reads at most their first
// values.
struct SeuratSources {
  std::string counts, data;
};
SeuratSources seurat_sources(const AnnotatedMatrix& matrix, Context& context);

// The sum of counts and the number of features of each cell, as CreateSeuratObject computes them. They are
// computed on read, some cells at a time.
struct CellSums {
  ArrayPtr counts;    // the sum of each column, double
  ArrayPtr features;  // the number of positive values, int32; missing if a value is not a number
};

// Returns arrays that throw the errors of reading the values.
CellSums cell_sums(const ColumnMatrixPtr& matrix, Context& context);

// Returns the Seurat object. matrices: shared with the sums of the cells' counts and with the object's
// writer. Reads all names, and whatever seurat_matrices() reads. Logs a notice for each part that a Seurat
// object cannot hold. Throws unsupported if R cannot hold the object, damaged if parts do not fit.
SeuratObject seurat_object(const JointMatrices& joint, ColumnMatrices& matrices, Context& context);

}  // namespace plainfs
