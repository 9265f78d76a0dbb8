// One open HDF5 file, shared by its groups and arrays: libhdf5's view of it, its bytes, and its global heap.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cache/lazy.h"
#include "formats/containers/hdf5/global_heap.h"
#include "formats/containers/hdf5/kept_attributes.h"
#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/stored_elements.h"
#include "formats/core/model/arrays/shared_arrays.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

// The place of an object in the tree. depth: 0 = the root.
struct ObjectPlace {
  uint64_t parent;  // address of its group's header
  std::string name;
  size_t depth;
};

class SourceFile {
 public:
  // Error messages read well after the path.
  SourceFile(const std::string& location, Context& context);

  const std::string& path() const { return bytes().path(); }
  const FileLayout& layout() const { return library_->layout(); }
  Context& context() const { return context_; }
  const File& bytes() const { return *bytes_; }
  const LibraryFile& library() const { return *library_; }
  const GlobalHeap& heap() const { return heap_; }
  SharedArrays& arrays() const { return arrays_; }
  KeptAttributes& kept_attributes() const { return kept_attributes_; }

  // Returns the possible targets of references in elements of this file. The result must not outlive the
  // file.
  Pointees pointees() const;
  // Returns the possible targets of references in attributes. A bad reference should not cost the owner's
  // other attributes. A reference to an object without a path is therefore missing, with a warning. h5py
  // keeps such references when the object is deleted.
  Pointees attribute_pointees() const;

 private:
  std::optional<std::string> path_of(uint64_t address) const;

  Context& context_;
  std::unique_ptr<const LibraryFile> library_;
  const FilePtr bytes_;
  GlobalHeap heap_;
  mutable SharedArrays arrays_;
  mutable KeptAttributes kept_attributes_;
  Lazy<std::map<uint64_t, ObjectPlace>> places_;  // by the address of the object's header
};

using SourceFilePtr = std::shared_ptr<const SourceFile>;

// A base class of the groups and arrays of this container, found by dynamic_cast. It has facts that the model
// lacks, for formats with rules about HDF5 types (container.h).
class StoredObject {
 public:
  StoredObject(SourceFilePtr file, uint64_t address) : file_(std::move(file)), address_(address) {}
  virtual ~StoredObject() = default;

  const SourceFile& file() const { return *file_; }
  const SourceFilePtr& shared_file() const { return file_; }
  uint64_t address() const { return address_; }  // of the object header
  // Returns the index of the first variable-length string that is a null pointer. Reads up to that string.
  virtual std::optional<uint64_t> first_null_string() const { return std::nullopt; }
  // Returns whether an array is stored as a bit field of 8 bits.
  virtual bool is_bit_field() const { return false; }

 private:
  SourceFilePtr file_;
  uint64_t address_;
};

}  // namespace plainfs::hdf5
