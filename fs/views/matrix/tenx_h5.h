// A matrix of features by cells in version 2 of Cell Ranger's .h5, which Seurat's Read10X_h5, scanpy's
// read_10x_h5, DropletUtils and BPCells read.
#pragma once

#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"

namespace plainfs {

// Cell Ranger's columns for the features: lists as long as the matrix has rows.
struct TenxFeatures {
  ArrayPtr ids;
  ArrayPtr names;
  ArrayPtr types;
};

// Returns the file. Requires: column_names are known. Reads the lengths of the names and, for a matrix stored
// by row, counts the entries of each column (formats/core/sparse/column_order.h).
ByteLayout tenx_h5(const SparseMatrix& stored, const TenxFeatures& features, Context& context);
// Returns the file as Cell Ranger compresses it.
std::unique_ptr<const PackedForm> packed_tenx_h5(const SparseMatrix& stored, const TenxFeatures& features,
                                                 Context& context);

}  // namespace plainfs
