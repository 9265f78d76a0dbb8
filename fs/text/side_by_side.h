// Files that show the same values, measured side by side: those are read once where the cache does not hold
// them all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cache/workers.h"
#include "fs/text/view_file.h"

namespace plainfs {

// Goes through all files part by part (ViewFile::measure_part), after which their sizes are known. Calls
// has_measured after each part. A file that cannot be measured is left: it says why when its size is asked
// for.
void measure_side_by_side(
    std::vector<std::shared_ptr<ViewFile>> files, Workers& workers,
    const std::function<void(uint64_t part, uint64_t parts)>& has_measured = [](uint64_t, uint64_t) {});

}  // namespace plainfs
