// The folder that `plainfs run` mounts stores in: in the folder for temporary files, of this user alone, and
// gone with the program, or, where that was killed, at the latest when the next one begins.
#pragma once

#include <string>
#include <vector>

#include "formats/core/base/descriptor.h"

namespace plainfs {

class RunFolder {
 public:
  // Removes those that were left behind, too. Throws Failure(kNoMountpoint).
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // A mountpoint named after the store. Throws Failure(kNoMountpoint).
  std::string add(const std::string& store);

 private:
  std::string path_;
  Descriptor lock_;  // held as long as this process, or one that serves a store in it, is there
  std::vector<std::string> made_;
};

// `plainfs run STORE... -- COMMAND`: mounts for one command, which end when it does.

// arguments: those behind "run". Returns the command's exit code, 128 and the signal's number where a signal
// has ended it, 127 where there is no such command, 126 where it cannot be run; or throws Failure.
int run_command(const std::vector<std::string>& arguments);

// The argument, with the path of the mount in place of a {} that it begins with, alone or before a slash, or
// that does so behind its first "="; {2} is the second one's. mountpoints: at least one.
std::string with_mountpoint(const std::string& argument, const std::vector<std::string>& mountpoints);

}  // namespace plainfs
