// libhdf5's process: answers the daemon's questions until the daemon ends.
#pragma once

#include <string>

#include "formats/core/base/channel.h"

namespace plainfs::hdf5 {

// The argument that makes the program run as that process. The socket is descriptor kServedSocket.
inline constexpr const char* kServeCommand = "serve-libhdf5";
inline constexpr int kServedSocket = 3;

// Runs the process and returns its exit code. Closes every other descriptor, and confines the process
// (confinement.h).
int serve_library();

// Does the work of serve_library() with socket, without changing the process. For tests.
int serve_library(Descriptor socket);

}  // namespace plainfs::hdf5
