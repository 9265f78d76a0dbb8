// The extent of a dataset or an attribute, and its type with the dimensions of an array type moved to it.
#pragma once

#include "formats/hdf5/library.h"
#include "formats/hdf5/type.h"
#include "formats/model/array.h"

namespace plainfs::hdf5 {

struct Extent {
  bool is_null = false;  // a null dataspace: no element, no shape
  Shape dataset_shape;   // what the library calls its dimensions
  Shape shape;           // with those of array types behind
  StoredType type;       // of one element of shape
  uint64_t stored_size;  // bytes of one element of dataset_shape
};

// Requires: the library's lock is held.
Extent read_extent(hid_t type, hid_t space, const FileLayout& layout);

}  // namespace plainfs::hdf5
