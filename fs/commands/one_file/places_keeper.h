// The keeper of the places of files that belong together: a process that makes them whole again if the
// program is killed while it replaces them.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "formats/core/base/channel.h"

namespace plainfs {

// The argument that makes the program run as that process. Its standard input is the socket.
inline constexpr const char* kKeepPlacesCommand = "keep-places";

// Runs the process and returns its exit code. It belongs to a session of its own, so that no signal to the
// group of the exporting process ends it.
int keep_places();

// The process, as seen by the program that replaces files.
class PlacesKeeper {
 public:
  // Starts the process, and returns when it is ready. paths: as for take_places(). Throws
  // Failure(kNotWritten) if it cannot be started.
  explicit PlacesKeeper(std::span<const std::string> paths);
  // Ends the process, which then does nothing.
  ~PlacesKeeper();
  PlacesKeeper(const PlacesKeeper&) = delete;
  PlacesKeeper& operator=(const PlacesKeeper&) = delete;

 private:
  pid_t number_ = -1;
  Channel channel_;
};

}  // namespace plainfs
