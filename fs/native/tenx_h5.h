// A matrix of features by cells in version 2 of Cell Ranger's .h5, which Seurat's Read10X_h5, scanpy's
// read_10x_h5, DropletUtils and BPCells read.
#pragma once

#include <string>

#include "formats/core/model/array.h"
#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// Cell Ranger's columns for the features: lists as long as the matrix has rows.
struct TenxFeatures {
  ArrayPtr ids;
  ArrayPtr names;
  ArrayPtr types;
};

// An array that repeats one text, for feature columns that the store does not have.
class RepeatedText : public Array {
 public:
  RepeatedText(std::string text, uint64_t count) : Array(text_type(), {count}), text_(std::move(text)) {}
  Elements read(const Box& box) const override {
    TextBuilder one(1);
    one.add(text_);
    return repeated_element(dtype(), one.finish(), element_count(box.extent));
  }

 private:
  const std::string text_;
};

// Returns the file. Requires: column_names are known. Reads the lengths of the names and, for a matrix stored
// by row, counts the entries of each column (fs/native/column_order.h).
ByteLayout tenx_h5(const SparseMatrix& stored, const TenxFeatures& features, Context& context);
// Returns the file as Cell Ranger compresses it.
std::unique_ptr<const PackedForm> packed_tenx_h5(const SparseMatrix& stored, const TenxFeatures& features,
                                                 Context& context);

}  // namespace plainfs
