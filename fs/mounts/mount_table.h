// What is mounted, as the kernel tells. No mount is asked itself: it may not answer.
#pragma once

#include <string>
#include <vector>

namespace plainfs {

struct Mounted {
  std::string path;    // absolute, without links
  std::string device;  // "0:57"; empty: nothing is mounted there
  std::string type;    // "fuse.plainfs"; of macOS "macfuse"
  std::string source;  // -o fsname
};

// All that this process sees, in the order in which it was mounted; empty where the system does not tell.
std::vector<Mounted> mount_table();
// What is mounted last at mountpoint.
Mounted what_is_mounted(const std::string& mountpoint);
// "fuse.plainfs" of Linux, "macfuse" of macOS.
inline bool is_of_fuse(const Mounted& mounted) {
  return mounted.type.find("fuse") != std::string::npos;
}

}  // namespace plainfs
