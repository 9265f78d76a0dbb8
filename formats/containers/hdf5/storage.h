// Where the bytes of a dataset's elements are, as stored: one class a layout. Sources of the layouts: HDF5
// File Format Specification 3.0, section IV.A.2.i; what the library does for us is said in each class.
#pragma once

#include <memory>
#include <optional>
#include <vector>

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

// By the dataset's layout. virtual_readable: whether elements of a virtual dataset may be had from the
// library, which is so for types without references. Throws unsupported or damaged.
std::unique_ptr<Storage> make_storage(const StoredDataset& dataset, DatasetPlace place,
                                      bool virtual_readable);

}  // namespace plainfs::hdf5
