// The bytes of a file of the mount as one gzip stream, deflated in pieces on all workers.
#pragma once

#include <cstdint>
#include <functional>

#include "fs/commands/copy_file.h"
#include "fs/commands/part_file.h"

namespace plainfs {

inline constexpr int kGzipLevel = 3;  // the usual one

// Returns the size of the stream. wrote is told how many bytes of the file are done. Throws what reading and
// writing throw.
uint64_t write_gzip(Filesystem& filesystem, Workers& workers, const Copy& copy, int level, PartFile& output,
                    const std::function<void(uint64_t)>& wrote);

}  // namespace plainfs
