// The directory that a store is mounted on: the one that was named, or one made for it and removed again.
#pragma once

#include <string>

#include "formats/model/store.h"

namespace plainfs {

class Mountpoint {
 public:
  // given: an existing directory; empty: a new one named after the store ("pbmc" for "pbmc.h5"), beside it
  // or, where that cannot be, in the current directory. Throws Failure(kMountFailed) where it cannot be
  // mounted on: missing, no directory, in use, the stale mount of a program that is gone (then with the
  // command that clears it), a directory that holds the store, or one inside it (but for a mirrored folder,
  // which leaves it out).
  Mountpoint(const std::string& given, const Store& store);
  // Removes the directory if it was made here. Requires: it is no longer mounted on.
  ~Mountpoint();
  Mountpoint(const Mountpoint&) = delete;
  Mountpoint& operator=(const Mountpoint&) = delete;

  const std::string& path() const { return path_; }  // without links
  bool is_new() const { return is_new_; }

 private:
  std::string path_;
  bool is_new_ = false;
};

}  // namespace plainfs
