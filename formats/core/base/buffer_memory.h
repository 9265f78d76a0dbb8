// The memory of byte buffers. A thread keeps a few that it has done with for its next ones of that size: what
// it decodes from stays in the processor's cache, and threads do not wait for each other at the allocator.
#pragma once

#include <cstddef>

namespace plainfs {

// Uninitialised. Throws std::bad_alloc.
void* take_buffer(size_t bytes);
// bytes: as it was taken. By any thread, which keeps about 1 MiB at most.
void give_buffer(void* buffer, size_t bytes) noexcept;

}  // namespace plainfs
