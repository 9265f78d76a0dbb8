// The sandbox of the daemon while it serves: it may read the store's folder, write its own index, log and
// block cache, and communicate with the kernel and with servers. If the bytes of a store make it do anything
// else, the system refuses, by Landlock for files, a filter of system calls, and no new privileges. Linux
// only.
#pragma once

#include <span>
#include <string>

#include "fs/command_line/options.h"

namespace plainfs {

#ifdef __linux__
constexpr bool kKnowsSandbox = true;
#else
constexpr bool kKnowsSandbox = false;
#endif

// Confines this thread and all that it starts, permanently, including the libhdf5 process. Call it while
// there is one thread, before any data of the store are read. Returns the restrictions that the system cannot
// enforce, or empty; the others are in force.
std::string enter_sandbox(const Options& options);

// Confines a process that mounts nothing and answers over sockets that already listen. It can create no other
// sockets, except for remote stores. stores: at least one, with the same options.
std::string enter_serving_sandbox(std::span<const Options> stores);

#ifdef __linux__
// sandbox_calls.cc: the system calls of a daemon in a sandbox, and of the libhdf5 process, which it starts.

// Installs the filter, see allow_calls_only(). with_network: allows sockets of every kind, not only to
// processes of this machine. serves: allows connections to sockets that listen.
std::string filter_daemon_calls(bool with_network, bool serves);
#endif

}  // namespace plainfs
