// Folders in the format of another program that does not notice a missing file: a Zarr hierarchy (a missing
// chunk is the fill value) and a BPCells directory (missing names are no names). Such a folder is written
// completely, or so that no reader opens it: its marks, the files that readers need to open it, come last,
// and only if everything else in it was written.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cache/mutex.h"

namespace plainfs {

// The folders of an export that must be complete. Thread-safe.
class WholeFolders {
 public:
  // paths: of all files, "a/b.csv". failed: those that cannot be written.
  explicit WholeFolders(const std::vector<std::string>& paths, const std::vector<std::string>& failed = {});

  // Returns the outermost such folder that contains the file ("": the whole export), or nullopt.
  std::optional<std::string> folder_of(std::string_view path) const;
  // Returns whether the file is a mark of its folder: any document of Zarr, or BPCells' version.
  bool is_mark(std::string_view path) const;

  // Records that the file cannot be written.
  void add_failure(std::string_view path);
  // Returns whether the file is in such a folder with a file that cannot be written.
  bool is_broken(std::string_view path) const;
  // Returns all of those folders, in order.
  std::vector<std::string> broken() const;

 private:
  std::set<std::string, std::less<>> zarr_, bpcells_;
  mutable Mutex mutex_;
  std::set<std::string, std::less<>> broken_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
