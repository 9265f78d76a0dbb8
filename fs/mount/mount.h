// Mounts a store and serves it until it is unmounted.
#pragma once

#include "fs/options.h"

namespace plainfs {

// Returns the exit code; throws Failure where the store cannot be opened or mounted.
int mount_store(const Options& options);

}  // namespace plainfs
