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

}  // namespace plainfs
