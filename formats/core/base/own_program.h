// The running program, to start it again as libhdf5's process.
#pragma once

#include <string>
#include <vector>

namespace plainfs {

struct OwnProgram {
  std::string path;  // of its file
  // The dynamic loader and the folders that it searches for libraries, if it was itself started with the
  // program as its argument. A folder that carries its own C library is started like this. Empty = the kernel
  // started the program.
  std::string loader{};
  std::vector<std::string> library_folders{};

  // Returns the words of a command that starts the program again with the arguments that follow them; the
  // first is the path of a file. Throws unreadable if the program was replaced, and can no longer be started.
  std::vector<std::string> command() const;
};

// Returns the program as it was started. Requires: called first before the working directory or the mounts
// change, since in another namespace for mounts the system may report its path without the folder that is
// mounted.
const OwnProgram& own_program();

}  // namespace plainfs
