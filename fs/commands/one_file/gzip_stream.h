// A file of the mount as one gzip stream, deflated in pieces on all workers.
#pragma once

#include <cstdint>
#include <functional>

#include "fs/commands/copy_file.h"
#include "fs/commands/part_file.h"

namespace plainfs {

inline constexpr int kGzipLevel = 3;  // the default

// Writes the stream and returns its size. Calls `wrote` with the number of bytes of the file that are done.
// Throws the errors of reading and writing.
uint64_t write_gzip(Filesystem& filesystem, Workers& workers, const Copy& copy, int level, PartFile& output,
                    const std::function<void(uint64_t)>& wrote);

}  // namespace plainfs
