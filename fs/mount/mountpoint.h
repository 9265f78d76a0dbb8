// What a store is mounted on: the directory that was named, or one made for it and removed again; or a mount
// that who started this program has made, whose /dev/fuse it has handed over (mount.fuse3 -o drop_privileges,
// Apptainer's --fusemount): "/dev/fd/N".
#pragma once

#include <string>

#include "formats/core/base/descriptor.h"
#include "formats/core/model/store.h"

namespace plainfs {

class Mountpoint {
 public:
  // given: an existing directory; empty: one named after the store ("pbmc" for "pbmc.h5"), beside it or,
  // where that cannot be, in the current directory: a new one, or one of this user's that is empty and free.
  // Throws Failure(kMountFailed) where it cannot be mounted on: missing, no directory, in use, the stale
  // mount of a program that is gone (then with the command that clears it), a directory that holds the store,
  // or one inside it (but for a mirrored folder, which leaves it out). "/dev/fd/N": where descriptor N is no
  // open /dev/fuse.
  Mountpoint(const std::string& given, const Store& store);
  // Removes the directory if it was made here. Requires: it is no longer mounted on.
  ~Mountpoint();
  Mountpoint(const Mountpoint&) = delete;
  Mountpoint& operator=(const Mountpoint&) = delete;

  const std::string& path() const { return path_; }  // without links; "/dev/fd/N"
  bool is_chosen() const { return is_chosen_; }      // it was not given
  // Where the mount is is not known, and it is not for this program to unmount it.
  bool is_handed_over() const { return is_handed_over_; }

 private:
  void take_or_make(const std::string& folder, const std::string& store);

  std::string path_;
  bool is_new_ = false;
  bool is_chosen_ = false;
  Descriptor claim_;  // no other mount takes the directory as long as it is held
  bool is_handed_over_ = false;
};

// Whether that is the name of a descriptor, "/dev/fd/3".
bool is_descriptor(const std::string& mountpoint);

// A new directory in folder, named after the store, "pbmc" for "pbmc.h5", with a number where that is taken;
// empty where folder takes none.
std::string new_mountpoint(const std::string& folder, const std::string& store);

}  // namespace plainfs
