// Datasets that are open in the library while they are being read. They live in the cache, so that a file of
// a hundred thousand datasets does not keep a hundred thousand open.
#pragma once

#include <optional>

#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/library/open_file.h"
#include "formats/containers/hdf5/library/virtual_sources.h"
#include "formats/core/model/array.h"

namespace plainfs::hdf5 {

// Every call but the constructor requires that the library's lock is held.
class OpenDataset {
 public:
  OpenDataset(OpenFilePtr file, uint64_t address);
  // What the library holds for one, by measurement about this.
  size_t allocated_bytes() const { return 16384; }

  // As those of LibraryFile.
  void read(uint64_t element_size, const Box& box, const Shape& block_shape, const Shape& target,
            std::byte* out) const;
  std::optional<StoredChunkBytes> read_chunk(const Shape& origin) const;

 private:
  // Of the dataset, opened anew where that is not to be believed any more.
  hid_t handle() const;
  template <class Call>
  auto asked(Call&& call) const;

  OpenFilePtr file_;  // before the handle: the file is closed last
  const uint64_t address_;
  bool is_left_bare_ = false;  // what was never written is not filled by the library
  // Guarded by the library's lock:
  mutable ObjectHandle handle_;
  mutable uint64_t opened_in_ = 0;                 // the file's times_opened() when the handle was opened
  std::optional<VirtualSources> virtual_sources_;  // of a virtual dataset
};

}  // namespace plainfs::hdf5
