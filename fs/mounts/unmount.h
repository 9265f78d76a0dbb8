// Unmounting, by the kernel if this user may ask it, else by the setuid fusermount3, or fusermount of fuse 2.
#pragma once

#include <cstdint>
#include <string>

namespace plainfs {

// The reason why a file system stays mounted.
struct StillMounted {
  int error = 0;        // errno; 0: unmounted
  std::string program;  // that could not be started, if that is the reason
  std::string reason;   // in the words of the program that refused, unless the mount is busy
  explicit operator bool() const { return error != 0; }
};

// Unmounts the last mount on mountpoint, which is absolute and without links. with_files_open: unmounts even
// if processes use it.
StillMounted unmount_fuse(const std::string& mountpoint, bool with_files_open);

// The identity of a mount. It differs between successive mounts at the same path.
struct MountIdentity {
  uint64_t number = 0;  // the kernel's, unique since Linux 6.8; 0 if unknown
  std::string device;   // empty: nothing is mounted there
  std::string source;
  bool operator==(const MountIdentity&) const = default;
};

// Does not access the mount itself.
MountIdentity identity_of_mount(const std::string& mountpoint);

}  // namespace plainfs
