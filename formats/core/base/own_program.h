// The running program, to start it again as libhdf5's process.
#pragma once

#include <string>
#include <vector>

namespace plainfs {

struct OwnProgram {
  std::string path;  // of its file

  // Returns the words of a command that starts the program again with the arguments that follow them; the
  // first is the path of a file.
  std::vector<std::string> command() const;
};

// Returns the program as it was started. Requires: called first before the working directory or the mounts
// change, since in another namespace for mounts the system may report its path without the folder that is
// mounted.
const OwnProgram& own_program();

}  // namespace plainfs
