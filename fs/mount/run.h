// `plainfs run STORE... -- COMMAND`: mounts for one command, which end when it does.
#pragma once

#include <string>
#include <vector>

namespace plainfs {

// arguments: those behind "run". Returns the command's exit code, 128 and the signal's number where a signal
// has ended it, 127 where there is no such command, 126 where it cannot be run; or throws Failure.
int run_command(const std::vector<std::string>& arguments);

}  // namespace plainfs
