// What the daemon may do once it serves: read the store's folder, write its own index, log and cache of
// blocks, speak with the kernel and with servers. Where the bytes of a store make it do something else, the
// system refuses: Landlock for files, a filter of system calls, no new privileges. Linux only.
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

// For this thread and all that it starts, for good, libhdf5's process included: to be called while there is
// one thread, before anything of the store is read. What the system could not give, or empty; the rest holds.
std::string enter_sandbox(const Options& options);

// The same for who mounts nothing and answers over sockets that listen already: no other is made, but for
// stores elsewhere. stores: at least one, of the same options.
std::string enter_serving_sandbox(std::span<const Options> stores);

}  // namespace plainfs
