// The global heap of an HDF5 file, which contains the data of variable-length strings, sequences and region
// references. This is a bounds-checked reader of its collections by pread, because libhdf5's own crashes on
// damaged ones. Source: HDF5 File Format Specification 3.0, sections III.E (global heap) and VIII.B (global
// heap ID).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/bytes.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

// One "GCOL" collection: its bytes and the position of each object in them.
class HeapCollection {
 public:
  // Throws damaged if bytes is not a collection.
  HeapCollection(Bytes bytes, unsigned length_size);
  // Returns the data of the object with that index. Throws damaged if there is no such object.
  ByteSpan object(uint32_t index) const;
  size_t allocated_bytes() const { return bytes_.capacity() + objects_.capacity() * sizeof(Object); }

 private:
  struct Object {
    uint64_t offset;
    uint64_t size;
    bool present;
  };
  Bytes bytes_;
  std::vector<Object> objects_;  // by index
};

// Reads collections. Const and thread-safe; collections are cached.
class GlobalHeap {
 public:
  GlobalHeap(FilePtr file, FileLayout layout, Context& context);

  const FileLayout& layout() const { return layout_; }
  uint64_t file_size() const { return file_->size(); }
  // Returns the collection at address (as stored, counted from the base address).
  std::shared_ptr<const HeapCollection> collection(uint64_t address) const;

 private:
  HeapCollection load(uint64_t address) const;

  FilePtr file_;
  FileLayout layout_;
  Context& context_;
  uint64_t cache_owner_;
};

// Reads objects one after another. Consecutive references mostly point into one collection, so it keeps the
// last one. In total it returns at most as many bytes as the file has, since no two references share an
// object.
class HeapReader {
 public:
  explicit HeapReader(const GlobalHeap& heap) : heap_(heap), allowance_(heap.file_size()) {}

  const FileLayout& layout() const { return heap_.layout(); }
  // Returns size bytes of the object, valid until the next call. Throws damaged if the object is smaller.
  ByteSpan read(uint64_t address, uint32_t index, uint64_t size);

 private:
  const GlobalHeap& heap_;
  uint64_t allowance_;
  uint64_t address_ = ~uint64_t{0};
  std::shared_ptr<const HeapCollection> collection_;
};

}  // namespace plainfs::hdf5
