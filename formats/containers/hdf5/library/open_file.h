// A file that is open in libhdf5. Objects are found by the address of their object header, so a node that is
// merely listed keeps nothing open.
#pragma once

#include <memory>
#include <string>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/containers/hdf5/library/library.h"
#include "formats/core/model/context.h"

namespace plainfs::hdf5 {

class OpenFile {
 public:
  // Opens the file read-only and without file locking. If the file is marked as being written (SWMR), opens
  // it as a reader. Throws an Error with a message that reads well after the path.
  OpenFile(const std::string& location, Context& context);

  Context& context() const { return context_; }
  const FilePtr& bytes() const { return bytes_; }
  const FileLayout& layout() const { return layout_; }
  unsigned superblock_version() const { return superblock_version_; }
  uint64_t root_address() const { return root_address_; }

  // Opens the object at address. Throws damaged if there is no object, unsupported if the library is too old
  // for its form. Requires: the library's lock is held.
  ObjectHandle open_object(uint64_t address) const;
  // Returns error, or unsupported if the library is too old for the form of the object at address or of its
  // attributes.
  Error unless_newer(const Error& error, uint64_t address, bool in_attributes) const;
  // Returns whether reading has failed since the library last opened the file. Everything open in the file
  // must then be opened again. The next open_object does this for the file. Requires: the library's lock is
  // held.
  bool is_spoiled() const;
  // Returns how often the file was opened. Requires: the library's lock is held.
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
