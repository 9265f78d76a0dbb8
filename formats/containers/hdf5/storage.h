// The stored bytes of a dataset's elements, with one class per layout. Source of the layouts: HDF5 File
// Format Specification 3.0, section IV.A.2.i. Each class describes the library's part.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cache/lazy.h"
#include "formats/containers/hdf5/source_file.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs::hdf5 {

class Storage {
 public:
  virtual ~Storage() = default;
  // Returns the stored elements of box in the first corner of a dense block of shape block_shape. The rest of
  // the block holds any valid elements of the type. If nothing in box was ever written, may return one stored
  // element that stands for all of it. Requires: box is inside the dataset. Const and thread-safe. Throws if
  // any element cannot be read.
  virtual Bytes read(const Box& box, const Shape& block_shape) const = 0;
  // Returns the one element for box if it is known at once that nothing in box was written, else nullopt.
  virtual std::optional<Bytes> absent(const Box&) const { return std::nullopt; }
  // Announces that box will be read block by block. Does nothing if this is not cheap.
  virtual void will_read(const Box&) const {}
  // Returns whether reading a box touches no bytes beside it and no server.
  virtual bool reads_boxes_alone() const { return false; }
  // Returns the shape of the blocks that are best to read.
  virtual Shape block_shape() const = 0;

 protected:
  // Returns a block into which box can be read.
  static Bytes new_block(const Box& box, const Shape& block_shape, uint64_t element_size);
};

// The facts about its dataset that every storage needs.
struct DatasetPlace {
  SourceFilePtr file;
  uint64_t address;  // of the object header
  Shape shape;
  uint64_t element_size;  // bytes, as stored
};

// The element of a dataset at places that were never written. It is read by the library once. Const and
// thread-safe. Throws the error of H5Dread, again each time.
class FillElement {
 public:
  explicit FillElement(DatasetPlace place);

  // Returns the element as stored. origin: a place that was never written.
  Bytes at(const Shape& origin) const;
  // Returns block with every element set to the fill element. Requires: block is not empty.
  Bytes repeated(const Shape& origin, Bytes block) const;

 private:
  DatasetPlace place_;
  Lazy<Bytes> element_;
};

// Returns the storage for the dataset's layout. virtual_readable: whether the library may read the elements
// of a virtual dataset, which is true for types without references. Throws unsupported or damaged.
std::unique_ptr<Storage> make_storage(const StoredDataset& dataset, DatasetPlace place,
                                      bool virtual_readable);

}  // namespace plainfs::hdf5
