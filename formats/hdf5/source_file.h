// One open HDF5 file, shared by the groups and arrays made of it. Objects are found again by the address of
// their object header, so nothing is held open for a node that is merely listed.
#pragma once

#include <hdf5.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "formats/hdf5/global_heap.h"
#include "formats/hdf5/library.h"
#include "formats/hdf5/stored_elements.h"
#include "formats/model/context.h"

namespace plainfs::hdf5 {

// Where an object stands in the tree. depth: 0 = the root.
struct ObjectPlace {
  uint64_t parent;  // address of its group's header
  std::string name;
  size_t depth;
};

class SourceFile {
 public:
  // Read-only, without file locking; as a reader of a file that is being written (SWMR) where it says so of
  // itself. Throws an Error that stands alone after the path.
  SourceFile(const std::string& path, Context& context);

  const std::string& path() const { return path_; }
  const FileLayout& layout() const { return heap_->layout(); }
  Context& context() const { return context_; }
  const File& bytes() const { return *file_; }
  const GlobalHeap& heap() const { return *heap_; }
  uint64_t root_address() const { return root_address_; }
  unsigned superblock_version() const { return superblock_version_; }

  // Throws damaged where there is no object at address. Requires: the library's lock is held.
  ObjectHandle open_object(uint64_t address) const;

  // What elements of this file may point at. Lives no longer than the file.
  Pointees pointees() const;

 private:
  std::string path_of(uint64_t address) const;

  std::string path_;
  Context& context_;
  FilePtr file_;
  FileHandle handle_;
  std::unique_ptr<GlobalHeap> heap_;
  uint64_t root_address_ = 0;
  unsigned superblock_version_ = 0;
  mutable std::once_flag tree_walked_;
  mutable std::map<uint64_t, ObjectPlace>
      places_;  // by address of the object's header; filled once, by tree_walked_
};

using SourceFilePtr = std::shared_ptr<const SourceFile>;

}  // namespace plainfs::hdf5
