// The element of a dataset that stands where nothing was written.
#pragma once

#include "cache/cancellable_lock.h"
#include "formats/containers/hdf5/storage.h"

namespace plainfs::hdf5 {

// As the library gives it, asked once. Const and thread-safe. Throws what H5Dread fails with, again each
// time.
class FillElement {
 public:
  explicit FillElement(DatasetPlace place);

  // As stored. origin: of an element that was never written.
  Bytes at(const Shape& origin) const;
  // The block, which is not empty, with every element of it set to that.
  Bytes repeated(const Shape& origin, Bytes block) const;

 private:
  DatasetPlace place_;
  mutable Once read_;
  mutable Bytes element_;  // made by the first use, by read_
};

}  // namespace plainfs::hdf5
