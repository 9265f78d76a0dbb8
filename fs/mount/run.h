// `plainfs run STORE... -- COMMAND`: mounts for one command, which end with it.
#pragma once

#include <string>
#include <vector>

namespace plainfs {

// arguments: those after "run". Returns the exit code of the command, 128 plus the signal's number if a
// signal ended it, 127 if it does not exist, and 126 if it cannot be run. Throws Failure.
int run_command(const std::vector<std::string>& arguments);

}  // namespace plainfs
