// Datasets that are open in the library while they are read. The cache holds them, so a file of a hundred
// thousand datasets does not keep a hundred thousand open.
#pragma once

#include <optional>

#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/library/open_file.h"
#include "formats/containers/hdf5/library/virtual_sources.h"
#include "formats/core/model/array.h"

namespace plainfs::hdf5 {

// Requires for every call but the constructor: the library's lock is held.
class OpenDataset {
 public:
  OpenDataset(OpenFilePtr file, uint64_t address);
  // Returns the approximate memory that the library takes for one dataset, from measurements.
  size_t allocated_bytes() const { return 16384; }

  // See LibraryFile.
  void read(uint64_t element_size, const Box& box, const Shape& block_shape, const Shape& target,
            std::byte* out) const;
  std::optional<StoredChunkBytes> read_chunk(const Shape& origin) const;

 private:
  // Returns the dataset's handle. Opens the dataset again if the library's state of it cannot be trusted.
  hid_t handle() const;
  template <class Call>
  auto asked(Call&& call) const;

  OpenFilePtr file_;  // before the handle, so that the file is closed last
  const uint64_t address_;
  bool is_left_bare_ = false;  // the library does not fill elements that were never written
  // Guarded by the library's lock:
  mutable ObjectHandle handle_;
  mutable uint64_t opened_in_ = 0;                 // the file's times_opened() when the handle was opened
  std::optional<VirtualSources> virtual_sources_;  // of a virtual dataset
};

}  // namespace plainfs::hdf5
