// The system calls of a daemon in a sandbox, and of the libhdf5 process, which it starts.
#pragma once

#include <string>

namespace plainfs {

// Installs the filter, see allow_calls_only(). with_network: allows sockets of every kind, not only to
// processes of this machine. serves: allows connections to sockets that listen.
std::string filter_daemon_calls(bool with_network, bool serves);

}  // namespace plainfs
