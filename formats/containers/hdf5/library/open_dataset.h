// Datasets in the library: their descriptions, the sources of virtual ones, and those that are open while
// they are read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/library/open_file.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs::hdf5 {

// Returns libhdf5's description of a dataset. Facts that cannot be read are replaced by an error in the
// result, so it never throws an Error. Requires: the library's lock is held.
StoredDataset dataset_facts(hid_t dataset, const FileLayout& layout);

// Returns the size of a chunk of a chunked dataset before its filters. Requires: the library's lock is held.
uint64_t chunk_bytes(hid_t dataset, hid_t creation);

// The source datasets of a virtual dataset. libhdf5 uses the fill value if it cannot open a source, for
// whatever reason. Here only a missing file has this effect; everything else is an error. A source may be
// behind links of its file; external ones are followed like the names of source files.
class VirtualSources : public LinkFollower {
 public:
  explicit VirtualSources(OpenFilePtr file) : file_(std::move(file)) {}

  // Checks the sources. Call it before the library reads elements of the dataset. Throws damaged if a source
  // file exists but is unreadable or lacks the dataset, unsupported if the library cannot safely read it,
  // changed if a source differs from the first check. Thread-safe. Requires: the library's lock is held.
  void check(hid_t dataset) const;
  // Closes the sources. The next check() is complete again.
  void close() const;
  // Returns the size in bytes of the largest chunk of a source. Requires: check() has passed.
  uint64_t largest_chunk() const { return largest_chunk_; }

  ObjectHandle follow(const std::string& from, const std::string& file,
                      const std::string& object) const override;

 private:
  void check_mappings(hid_t creation, const std::string& path, hid_t file, unsigned depth) const;
  void check_dataset(const std::string& path, hid_t file, const std::string& name, unsigned depth) const;
  void check_filters(hid_t dataset, hid_t creation) const;
  // Returns a dataset; no handle if it is behind a link to a missing file.
  DatasetHandle open_dataset(hid_t file, const std::string& name) const;
  // Returns the path of the file `name`, which the library searches starting from the file at path. Empty if
  // it does not exist.
  std::string find_file(const std::string& path, const std::string& name) const;

  OpenFilePtr file_;
  // All guarded by the library's lock.
  mutable bool is_checked_ = false;
  // Virtual sources of which the shape is known. The library takes the shape that is stored for others, which
  // lacks what unlimited mappings add.
  mutable std::vector<DatasetHandle> nested_;
  mutable bool has_missing_target_ = false;  // an external link led to no file
  mutable unsigned followed_ = 0;            // external links that are being followed
  mutable uint64_t largest_chunk_ = 0;
  // Keyed by file and name: whether the check of a source is complete.
  mutable std::map<std::pair<std::string, std::string>, bool> datasets_;
  mutable std::vector<std::string> paths_;  // all paths that were searched for a source
};

// A dataset that is open in the library while it is read. The cache holds it, so a file of a hundred thousand
// datasets does not keep a hundred thousand open. Requires for every call but the constructor: the library's
// lock is held.
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
  uint64_t chunk_bytes_ = 0;  // before its filters; 0 if it is not chunked
  // The fill value of a virtual dataset, in which the library leaves some gaps unfilled; else empty.
  Bytes fill_;
  bool is_left_bare_ = false;  // the library does not fill elements that were never written
  // Guarded by the library's lock:
  mutable ObjectHandle handle_;
  mutable uint64_t opened_in_ = 0;                 // the file's times_opened() when the handle was opened
  std::optional<VirtualSources> virtual_sources_;  // of a virtual dataset
};

}  // namespace plainfs::hdf5
