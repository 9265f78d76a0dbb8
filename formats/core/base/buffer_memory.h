// The memory of byte buffers. A thread keeps a few buffers that it no longer uses for its next ones of the
// same size. What it decodes from then stays in the processor's cache, and threads do not wait for each other
// at the allocator.
#pragma once

#include <cstddef>

namespace plainfs {

// Returns uninitialised memory. Throws std::bad_alloc.
void* take_buffer(size_t bytes);
// Returns `buffer` to the thread that calls this, which may be any and keeps about 1 MiB at most. bytes: the
// size it was taken with.
void give_buffer(void* buffer, size_t bytes) noexcept;

}  // namespace plainfs
