// The mountpoint of a store: a given directory, or one that is created and removed again; or a mount that the
// calling program has made, and for which it has passed an open /dev/fuse (mount.fuse3 -o drop_privileges,
// Apptainer's --fusemount): "/dev/fd/N".
#pragma once

#include <string>

#include "formats/core/base/descriptor.h"
#include "formats/core/model/store.h"

namespace plainfs {

class Mountpoint {
 public:
  // given: an existing directory. If it is empty, uses a directory named after the store ("pbmc" for
  // "pbmc.h5"), beside it or, if that is impossible, in the current directory: a new one, or an empty and
  // unused one of this user. Throws Failure(kMountFailed) if the directory cannot be used: it is missing, no
  // directory, in use, the stale mount of a program that is gone (the message then has the command that
  // clears it), contains the store, or is inside it (except in a mirrored folder, which leaves it out).
  // "/dev/fd/N" fails if descriptor N is not an open /dev/fuse.
  Mountpoint(const std::string& given, const Store& store);
  // Removes the directory if this object created it. Requires: it is no longer mounted on.
  ~Mountpoint();
  Mountpoint(const Mountpoint&) = delete;
  Mountpoint& operator=(const Mountpoint&) = delete;

  const std::string& path() const { return path_; }  // without links; "/dev/fd/N"
  bool is_chosen() const { return is_chosen_; }      // it was not given
  // Returns whether the mount was handed over. Its place is unknown, and this program must not unmount it.
  bool is_handed_over() const { return is_handed_over_; }

 private:
  void take_or_make(const std::string& folder, const std::string& store);

  std::string path_;
  bool is_new_ = false;
  bool is_chosen_ = false;
  Descriptor claim_;  // while it is held, no other mount takes the directory
  bool is_handed_over_ = false;
};

// Returns whether `mountpoint` is the name of a descriptor, "/dev/fd/3".
bool is_descriptor(const std::string& mountpoint);

// Creates a directory in `folder` named after the store, "pbmc" for "pbmc.h5", with a number if that name is
// taken. Returns its path, or empty if the folder cannot be written to.
std::string new_mountpoint(const std::string& folder, const std::string& store);

}  // namespace plainfs
