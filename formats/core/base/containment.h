// Opening a path of which no component may be a link, so that a folder that is exchanged for a link
// while it is opened leads nowhere else. By one call where the system has it (Linux 5.6, macOS), else folder
// by folder, each looked up in the one before it, which is held open.
#pragma once

#include <string>
#include <vector>

#include "formats/core/base/error.h"

namespace plainfs {

// As open(2), closed on exec, but -1 with ELOOP where path, or a folder on the way, is a link. Requires: an
// absolute path. Thread-safe.
int open_without_links(const std::string& path, int flags);

// Which of the host's files a store may be made of: those in its own folder. A store can name others, by
// symbolic links of the host (a chunk that is one), by the raw and the source files of HDF5, by the sources
// of HDMF; whatever is read for it is shown to everybody who sees the mount, with the rights of who mounted
// it.

// Immutable and thread-safe.
class Containment {
 public:
  // Everything may be read.
  Containment() = default;
  // What lies in one of the folders or below, once all links are followed; one that leads in a circle holds
  // nothing. All of these but the first throw unreadable where a path cannot be followed just now.
  explicit Containment(const std::vector<std::string>& folders);
  // For the store (or the mirrored folder) at path: itself where it is a folder, else the folder it lies in
  // and that of the file it is a link to.
  static Containment of_store(const std::string& path);
  // The folder that the store at path lies in.
  static Containment around_store(const std::string& path);

  bool is_bounded() const { return is_bounded_; }

  // As open(2) for reading, but -1 with EXDEV where path leads outside; no other file is touched on the way,
  // also where links are exchanged meanwhile.
  int open(const std::string& path, int flags) const;
  // Whether what is at path, links followed, lies inside. Where nothing is there, its folders count.
  bool contains(const std::string& path) const;
  // Throws unreadable where it does not.
  void check(const std::string& path) const;

 private:
  bool holds(const std::string& real) const;

  bool is_bounded_ = false;
  std::vector<std::string> folders_;  // without links
};

// What is said of a file that a store names and may not be made of.
Error outside_error(const std::string& path);

}  // namespace plainfs
