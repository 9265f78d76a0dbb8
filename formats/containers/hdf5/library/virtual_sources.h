// The source datasets of a virtual dataset. libhdf5 uses the fill value if it cannot open a source, for
// whatever reason. Here only a missing file has this effect; everything else is an error.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/containers/hdf5/library/open_file.h"

namespace plainfs::hdf5 {

class VirtualSources {
 public:
  explicit VirtualSources(OpenFilePtr file) : file_(std::move(file)) {}

  // Checks the sources. Call it before the library reads elements of the dataset. Throws damaged if a source
  // file exists but is unreadable or lacks the dataset, unsupported if the library cannot safely read it,
  // changed if a source differs from the first check. Thread-safe. Requires: the library's lock is held.
  void check(hid_t dataset) const;

 private:
  void check_mappings(hid_t creation, const std::string& path, hid_t file, unsigned depth) const;
  void check_dataset(const std::string& path, hid_t file, const std::string& name, unsigned depth) const;
  // Returns the path of the file `name`, which the library searches starting from the file at path. Empty if
  // it does not exist.
  std::string find_file(const std::string& path, const std::string& name) const;

  OpenFilePtr file_;
  // All guarded by the library's lock.
  mutable bool is_checked_ = false;
  // Keyed by file and name: whether the check of a source is complete.
  mutable std::map<std::pair<std::string, std::string>, bool> datasets_;
  mutable std::vector<std::string> paths_;  // all paths that were searched for a source
};

}  // namespace plainfs::hdf5
