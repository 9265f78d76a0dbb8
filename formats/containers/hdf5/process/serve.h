// libhdf5's process: answers what the daemon asks of it until the daemon ends.
#pragma once

#include <string>

#include "formats/core/base/channel.h"

namespace plainfs::hdf5 {

// The word by which the program is told to be that process; the socket is descriptor kServedSocket.
inline constexpr const char* kServeCommand = "serve-libhdf5";
inline constexpr int kServedSocket = 3;

// The exit code. Closes every other descriptor, and confines the process (confinement.h).
int serve_library();

// What serve_library() does with the socket, in a process that stays as it is: for tests.
int serve_library(Descriptor socket);

}  // namespace plainfs::hdf5
