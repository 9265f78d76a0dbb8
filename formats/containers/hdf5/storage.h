// Where the bytes of a dataset's elements are, as stored: one class a layout. Sources of the layouts: HDF5
// File Format Specification 3.0, section IV.A.2.i; what the library does for us is said in each class.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cache/cancellable_lock.h"
#include "formats/containers/hdf5/source_file.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/model/array.h"

namespace plainfs::hdf5 {

class Storage {
 public:
  virtual ~Storage() = default;
  // The stored elements of box, which lies inside the dataset, in the first corner of a dense block of shape
  // block_shape; the rest of the block is any valid element of the type. Or one stored element alone, which
  // stands for all of box, where nothing of it was ever written. Const and thread-safe. Throws where any
  // element cannot be had.
  virtual Bytes read(const Box& box, const Shape& block_shape) const = 0;
  // That one element, where it can be told at once that nothing of box was written; else nullopt.
  virtual std::optional<Bytes> absent(const Box&) const { return std::nullopt; }
  // That box is going to be read, block by block. Does nothing where that cannot be told cheaply.
  virtual void will_read(const Box&) const {}
  // Whether reading a box touches none of the bytes beside it, and no server.
  virtual bool reads_boxes_alone() const { return false; }
  // The blocks in which it is best read.
  virtual Shape block_shape() const = 0;

 protected:
  // A block that box is to be read into.
  static Bytes new_block(const Box& box, const Shape& block_shape, uint64_t element_size);
};

// What every storage needs to know of its dataset.
struct DatasetPlace {
  SourceFilePtr file;
  uint64_t address;  // of the object header
  Shape shape;
  uint64_t element_size;  // bytes as stored
};

// The element of a dataset that stands where nothing was written, as the library gives it, asked once. Const
// and thread-safe. Throws what H5Dread fails with, again each time.
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

// By the dataset's layout. virtual_readable: whether elements of a virtual dataset may be had from the
// library, which is so for types without references. Throws unsupported or damaged.
std::unique_ptr<Storage> make_storage(const StoredDataset& dataset, DatasetPlace place,
                                      bool virtual_readable);

}  // namespace plainfs::hdf5
