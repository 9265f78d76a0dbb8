// Unmounting by the one that may: the kernel where this user may ask it, else the setuid fusermount3.
#pragma once

#include <cstdint>
#include <string>

namespace plainfs {

// Why something stays mounted.
struct StillMounted {
  int error = 0;  // errno; 0: it does not. EBUSY also where fusermount3 refused, which does not say why.
  std::string program;  // which could not be started, where that is why
  explicit operator bool() const { return error != 0; }
};

// Unmounts what is mounted last at mountpoint, which is absolute and without links. with_files_open: it is
// taken away from those who are in it, too.
StillMounted unmount_fuse(const std::string& mountpoint, bool with_files_open);

// Which mount is at a path: two that are there one after the other at the same path differ.
struct MountIdentity {
  uint64_t number = 0;  // of the kernel, never given again since Linux 6.8; 0 where it does not tell
  std::string device;   // empty: nothing is mounted there
  std::string source;
  bool operator==(const MountIdentity&) const = default;
};

// Does not ask who serves it.
MountIdentity identity_of_mount(const std::string& mountpoint);

}  // namespace plainfs
