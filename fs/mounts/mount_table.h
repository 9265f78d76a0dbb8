// The kernel's list of mounts. No mount is accessed itself, as it may not answer.
#pragma once

#include <string>
#include <vector>

namespace plainfs {

struct Mounted {
  std::string path;    // absolute, without links
  std::string device;  // "0:57"; empty: nothing is mounted there
  std::string type;    // "fuse.plainfs"; on macOS "macfuse"
  std::string source;  // -o fsname
};

// Returns all mounts that this process sees, in mount order; empty if the system does not report them.
std::vector<Mounted> mount_table();
// Returns the last mount on mountpoint.
Mounted what_is_mounted(const std::string& mountpoint);
// Returns whether the type is "fuse.plainfs" of Linux or "macfuse" of macOS.
inline bool is_of_fuse(const Mounted& mounted) {
  return mounted.type.find("fuse") != std::string::npos;
}

}  // namespace plainfs
