// The containment of reads in certain folders, and the opening of a path without links, so that replacing a
// folder by a link meanwhile does not lead out. It takes one system call if there is one (Linux 5.6, macOS).
// Otherwise each folder is opened relative to the one before it, which is held open.
#pragma once

#include <string>
#include <vector>

#include "formats/core/base/error.h"

namespace plainfs {

// Opens `path` like open(2) with close-on-exec, but returns -1 with ELOOP if the path or a folder in it is a
// link. Requires: an absolute path. Thread-safe.
int open_without_links(const std::string& path, int flags);

// A set of folders that files may be read from. It decides which files of the host a store may use: those in
// its own folder. A store can name other files, by symbolic links of the host (a chunk that is one), by the
// raw and source files of HDF5, and by the sources of HDMF. All users of the mount see what is read for the
// store, with the rights of the user that mounted it. Immutable and thread-safe.
class Containment {
 public:
  // Allows everything.
  Containment() = default;
  // Allows what lies in one of `folders` or below after all links are followed. A folder that is a circular
  // link allows nothing. This and all functions below throw unreadable if a path cannot be followed at the
  // moment.
  explicit Containment(const std::vector<std::string>& folders);
  // Returns the bounds of the store (or mirrored folder) at `path`: the path itself if it is a folder, else
  // its folder and, if the path is a link, the folder of its target.
  static Containment of_store(const std::string& path);
  // Returns the bounds of several stores together.
  static Containment of_stores(const std::vector<std::string>& paths);
  // Returns the bounds that consist of the folder which contains the store at `path`.
  static Containment around_store(const std::string& path);

  bool is_bounded() const { return is_bounded_; }

  // Opens `path` like open(2) for reading, but returns -1 with EXDEV if it leads outside. No other file is
  // touched on the way, even if links are replaced meanwhile.
  int open(const std::string& path, int flags) const;
  // Returns whether `path` lies inside after links are followed. If it does not exist, its existing part is
  // resolved.
  bool contains(const std::string& path) const;
  // Throws unreadable if `path` lies outside.
  void check(const std::string& path) const;

 private:
  bool holds(const std::string& real) const;

  bool is_bounded_ = false;
  std::vector<std::string> folders_;  // with links resolved
};

// Returns the error for a file that a store names and must not use.
Error outside_error(const std::string& path);

}  // namespace plainfs
