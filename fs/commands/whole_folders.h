// Folders in the format of another program whose readers do not notice that a file is absent: a Zarr
// hierarchy (an absent chunk is the fill value) and a BPCells directory (absent names are no names). Such a
// folder is written as a whole, or so that no reader opens it: its marks, the files without which there is
// nothing to open, come last, and only if everything else in it was written.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cache/mutex.h"

namespace plainfs {

// Thread-safe.
class WholeFolders {
 public:
  // paths: of all files, "a/b.csv". failed: those of them that cannot be written.
  explicit WholeFolders(const std::vector<std::string>& paths, const std::vector<std::string>& failed = {});

  // Returns the outermost such folder that the file is in ("": all that is written), nullopt if there is
  // none.
  std::optional<std::string> folder_of(std::string_view path) const;
  // Returns whether the file is a mark of the folder that it is in: any document of Zarr's, BPCells' version.
  bool is_mark(std::string_view path) const;

  // Records that the file cannot be written.
  void add_failure(std::string_view path);
  // Returns whether the file is in a folder of which a file cannot be written.
  bool is_broken(std::string_view path) const;
  // Returns all of these folders, in order.
  std::vector<std::string> broken() const;

 private:
  std::set<std::string, std::less<>> zarr_, bpcells_;
  mutable Mutex mutex_;
  std::set<std::string, std::less<>> broken_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
