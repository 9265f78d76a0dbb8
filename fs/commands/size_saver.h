// A long pass that measures files, of which nothing is lost if it is stopped.
#pragma once

#include <functional>
#include <string>

#include "fs/commands/interruption.h"
#include "fs/filesystem.h"

namespace plainfs {

// Runs `pass`. What it has measured is saved once a minute, and when a signal stops it: the next pass
// measures the rest. Then prints that, and throws Failure(kNotWritten). Faults of saving are lines of
// standard error.
void run_saving_sizes(Filesystem& filesystem, const std::string& store, const Interruption& interruption,
                      const std::function<void()>& pass);

}  // namespace plainfs
