// A note by which `plainfs ps` finds a mount, even in a mount namespace that other processes do not see: a
// file in memory that the mount holds open. /proc shows it to the same user and to root, and it disappears
// with the process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/text/json.h"

namespace plainfs {

// The note of this process's mount.
class MountNote {
 public:
  // Does nothing on systems without such files.
  MountNote(const std::string& store, const std::string& mountpoint);
  ~MountNote();
  MountNote(const MountNote&) = delete;
  MountNote& operator=(const MountNote&) = delete;

 private:
  int file_ = -1;
};

struct FoundMount {
  pid_t process = 0;
  std::string store;
  std::string mountpoint;
};

// Returns the mounts of all processes that this user may examine, sorted by process.
std::vector<FoundMount> found_mounts();

// Returns the JSON in a file, such as one of a mount's .plainfs; null if it cannot be read or is invalid.
Json json_in(const std::string& path);
// Returns a number in such a file; nullopt if it is missing.
std::optional<uint64_t> count_in(const Json& object, std::string_view name);

// Returns whether a process is plainfs, under any name. No other process is sent a signal, whatever a file
// contains.
bool is_plainfs(pid_t process);

}  // namespace plainfs
