// The datasets that a virtual dataset is put together of. libhdf5 shows fill where it cannot open one, for
// whatever reason; here that is so only where there is no such file, and everything else is an error.
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

  // To be called before the library reads elements of the dataset. Throws damaged where a source file exists
  // and is not readable or lacks the dataset, unsupported where what it has is not safe to read by the
  // library, changed where one is not what it was at the first check. Thread-safe. Requires: the library's
  // lock is held.
  void check(hid_t dataset) const;

 private:
  void check_mappings(hid_t creation, const std::string& path, hid_t file, unsigned depth) const;
  void check_dataset(const std::string& path, hid_t file, const std::string& name, unsigned depth) const;
  // The file of that name as the library looks for it from the one at path; empty where there is none.
  std::string find_file(const std::string& path, const std::string& name) const;

  OpenFilePtr file_;
  // All guarded by the library's lock.
  mutable bool is_checked_ = false;
  // By file and name: whether a source was looked at to the end.
  mutable std::map<std::pair<std::string, std::string>, bool> datasets_;
  mutable std::vector<std::string> paths_;  // everywhere that a source was looked for
};

}  // namespace plainfs::hdf5
