// A mount that a program with more rights has made. It passes the open /dev/fuse over a socket, as the driver
// of a cluster does to a container without privileges.
#pragma once

#include <string>

namespace plainfs {

// Connects to the Unix socket at `path`, which may not be there yet, and receives a message with an open
// /dev/fuse. The bytes of the message are ignored. Returns the descriptor as a mountpoint, "/dev/fd/N"; it
// stays open. Throws Failure(kMountFailed) if no such message comes within `seconds`.
std::string receive_mount(const std::string& path, unsigned seconds);

}  // namespace plainfs
