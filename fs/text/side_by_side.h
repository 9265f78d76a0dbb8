// Measures files of the same values side by side, so that values the cache cannot hold are read only once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cache/workers.h"
#include "fs/text/view_file.h"

namespace plainfs {

// Measures all files part by part (ViewFile::measure_part); their sizes are known afterwards. Calls
// has_measured after each part. Skips a file that cannot be measured: it reports the error when its size is
// requested.
void measure_side_by_side(
    std::vector<std::shared_ptr<ViewFile>> files, Workers& workers,
    const std::function<void(uint64_t part, uint64_t parts)>& has_measured = [](uint64_t, uint64_t) {});

}  // namespace plainfs
