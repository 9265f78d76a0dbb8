// Mounts a store and serves it until it is unmounted.
#pragma once

#include <functional>

#include "fs/command_line/options.h"

namespace plainfs {

// Returns the exit code; throws Failure where the store cannot be opened or mounted. answers: is called once
// the mount does.
int mount_store(const Options& options, const std::function<void()>& answers = {});

}  // namespace plainfs
