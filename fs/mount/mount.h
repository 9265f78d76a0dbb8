// Mounting a store and serving it until it is unmounted.
#pragma once

#include <functional>

#include "fs/command_line/options.h"

namespace plainfs {

// Returns the exit code. Throws Failure if the store cannot be opened or mounted. answers: called once the
// mount answers requests.
int mount_store(const Options& options, const std::function<void()>& answers = {});

}  // namespace plainfs
