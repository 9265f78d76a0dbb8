// What a mount tells of itself, so that `plainfs ps` finds it wherever it is, also in a namespace of mounts
// that others do not see: a file in memory that it holds open, which /proc shows to the same user and to
// root, and which is gone when the process is.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace plainfs {

class MountNote {
 public:
  // Where the system has no such files there is none.
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

// Of all processes that may be looked at, by process.
std::vector<FoundMount> found_mounts();

// Whether a process is a plainfs, run by whichever name: no other is sent a signal, whatever a file says.
bool is_plainfs(pid_t process);

}  // namespace plainfs
