// Datasets that are open in the library while they are being read. They live in the cache, so that a file of
// a hundred thousand datasets does not keep a hundred thousand open.
#pragma once

#include "formats/hdf5/source_file.h"
#include "formats/model/array.h"

namespace plainfs::hdf5 {

class OpenDataset {
 public:
  OpenDataset(SourceFilePtr file, uint64_t address);
  hid_t id() const { return handle_.id(); }
  size_t allocated_bytes() const {
    return 16384;
  }  // what the library holds for one, by measurement about this

  // The elements of box by the library, which fills what was never written, to place target in a dense block
  // of shape block_shape at out. memory_type as for H5Dread. Requires: the lock is held.
  void read(hid_t memory_type, const Box& box, const Shape& block_shape, const Shape& target,
            std::byte* out) const;

 private:
  SourceFilePtr file_;  // before the handle: the file is closed last
  ObjectHandle handle_;
};

// Opens a dataset where the cache does not hold it. Never called under the library's lock.
class DatasetOpener {
 public:
  DatasetOpener(SourceFilePtr file, uint64_t address)
      : file_(std::move(file)), address_(address), cache_owner_(file_->context().cache.new_owner()) {}
  std::shared_ptr<const OpenDataset> open() const {
    return file_->context().cache.get<OpenDataset>({cache_owner_, 0},
                                                   [&] { return OpenDataset(file_, address_); });
  }

 private:
  SourceFilePtr file_;
  uint64_t address_;
  uint64_t cache_owner_;
};

}  // namespace plainfs::hdf5
