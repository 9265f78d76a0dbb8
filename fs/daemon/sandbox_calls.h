// The system calls of a daemon in a sandbox, and of libhdf5's process, which it starts.
#pragma once

#include <string>

namespace plainfs {

// As allow_calls_only(). with_network: sockets of every kind, and not only to processes of this machine.
// serves: what comes in over sockets that listen.
std::string filter_daemon_calls(bool with_network, bool serves);

}  // namespace plainfs
