// One open HDF5 file, shared by the groups and arrays made of it: what libhdf5 says of it, its bytes, and its
// global heap.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cache/cancellable_lock.h"
#include "formats/containers/hdf5/global_heap.h"
#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/stored_elements.h"
#include "formats/core/model/context.h"
#include "formats/core/model/shared_arrays.h"

namespace plainfs::hdf5 {

// Where an object stands in the tree. depth: 0 = the root.
struct ObjectPlace {
  uint64_t parent;  // address of its group's header
  std::string name;
  size_t depth;
};

class SourceFile {
 public:
  // Throws an Error that stands alone after the path.
  SourceFile(const std::string& location, Context& context);

  const std::string& path() const { return bytes().path(); }
  const FileLayout& layout() const { return library_->layout(); }
  Context& context() const { return context_; }
  const File& bytes() const { return *bytes_; }
  const LibraryFile& library() const { return *library_; }
  const GlobalHeap& heap() const { return heap_; }
  SharedArrays& arrays() const { return arrays_; }

  // What elements of this file may point at. Lives no longer than the file.
  Pointees pointees() const;
  // The same for an attribute, whose owner's other attributes should not be lost with it: a reference to an
  // object that no path leads to any more (h5py keeps them when the object is deleted) is missing, with a
  // warning.
  Pointees attribute_pointees() const;

 private:
  std::optional<std::string> path_of(uint64_t address) const;

  Context& context_;
  std::unique_ptr<const LibraryFile> library_;
  const FilePtr bytes_;
  GlobalHeap heap_;
  mutable SharedArrays arrays_;
  mutable Once tree_walked_;
  // By address of the object's header; filled once, by tree_walked_.
  mutable std::map<uint64_t, ObjectPlace> places_;
};

using SourceFilePtr = std::shared_ptr<const SourceFile>;

// A base of the groups and arrays of this container, found by dynamic_cast: what they tell beyond the model,
// for formats that keep their arrays in HDF5 and have rules about types (container.h).
class StoredObject {
 public:
  StoredObject(SourceFilePtr file, uint64_t address) : file_(std::move(file)), address_(address) {}
  virtual ~StoredObject() = default;

  const SourceFile& file() const { return *file_; }
  const SourceFilePtr& shared_file() const { return file_; }
  uint64_t address() const { return address_; }  // of the object header
  // The first of an array's variable-length strings that is a null pointer. Reads until it finds one.
  virtual std::optional<uint64_t> first_null_string() const { return std::nullopt; }
  // Whether an array is stored as a bit field of 8 bits.
  virtual bool is_bit_field() const { return false; }

 private:
  SourceFilePtr file_;
  uint64_t address_;
};

}  // namespace plainfs::hdf5
