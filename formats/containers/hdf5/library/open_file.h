// A file that is open in libhdf5. Objects are found again by the address of their object header, so nothing
// is held open for a node that is merely listed.
#pragma once

#include <memory>
#include <string>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/containers/hdf5/library/library.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

class OpenFile {
 public:
  // Read-only, without file locking; as a reader of a file that is being written (SWMR) where it says so of
  // itself. Throws an Error that stands alone after the path.
  OpenFile(const std::string& location, Context& context);

  Context& context() const { return context_; }
  const FilePtr& bytes() const { return bytes_; }
  const FileLayout& layout() const { return layout_; }
  unsigned superblock_version() const { return superblock_version_; }
  uint64_t root_address() const { return root_address_; }

  // Throws damaged where there is no object at address, unsupported where it is of a form that the library is
  // too old for. Requires: the library's lock is held.
  ObjectHandle open_object(uint64_t address) const;
  // error, or unsupported where the library is too old for the form of the object at address, or of its
  // attributes.
  Error unless_newer(const Error& error, uint64_t address, bool in_attributes) const;
  // Whether reading has failed since the library was last asked to open the file. What is open in it is to be
  // opened anew then: the next open_object begins with that. Requires: the library's lock is held.
  bool is_spoiled() const;
  // How often the file was opened. Requires: the library's lock is held.
  uint64_t times_opened() const { return times_opened_; }

 private:
  void open_handle() const;

  const std::string location_;
  Context& context_;
  FilePtr bytes_;
  // Guarded by the library's lock:
  mutable FileHandle handle_;
  mutable uint64_t failed_before_ = 0;  // times_failed() when the handle was opened
  mutable uint64_t times_opened_ = 0;

  FileLayout layout_;
  unsigned superblock_version_ = 0;
  uint64_t root_address_ = 0;
};

using OpenFilePtr = std::shared_ptr<const OpenFile>;

}  // namespace plainfs::hdf5
