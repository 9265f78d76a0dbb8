// A matrix of features by cells as Cell Ranger's version 2 of .h5, which Seurat's Read10X_h5, scanpy's
// read_10x_h5, DropletUtils and BPCells read.
#pragma once

#include <string>

#include "formats/core/model/array.h"
#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// What Cell Ranger says of each feature: lists as long as the matrix has rows.
struct TenxFeatures {
  ArrayPtr ids;
  ArrayPtr names;
  ArrayPtr types;
};

// One text as often as it is wanted: what a store does not say of each feature by itself.
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

// Requires: column_names are known. Looks at the lengths of the names, and of a matrix stored by row counts
// the entries of each column (fs/native/column_order.h).
ByteLayout tenx_h5(const SparseMatrix& stored, const TenxFeatures& features, Context& context);
// The same as Cell Ranger compresses it.
std::unique_ptr<const PackedForm> packed_tenx_h5(const SparseMatrix& stored, const TenxFeatures& features,
                                                 Context& context);

}  // namespace plainfs
