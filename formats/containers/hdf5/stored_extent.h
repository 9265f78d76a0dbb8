// The extent of a dataset or an attribute, and its type with the dimensions of an array type moved to it.
#pragma once

#include "formats/containers/hdf5/stored_type.h"
#include "formats/core/model/array.h"

namespace plainfs::hdf5 {

struct StoredExtent {
  bool is_null = false;      // a null dataspace: no element, no shape
  Shape dataset_shape;       // what the library calls its dimensions
  Shape shape;               // with those of array types behind
  StoredType type;           // of one element of shape
  uint64_t stored_size = 0;  // bytes of one element of dataset_shape
};

}  // namespace plainfs::hdf5
