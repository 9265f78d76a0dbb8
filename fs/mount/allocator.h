// malloc as a daemon needs it that fills one budget of large buffers from many threads.
#pragma once

namespace plainfs {

// One arena: with one a thread, what one thread frees another cannot use, and the daemon's memory grows far
// beyond the cache budget (measured: 480 MB, not 296 MB, after a 655 MB file with a budget of 256 MiB).
// Buffers up to 32 MiB stay on the heap, so that they are reused instead of being mapped and cleared by the
// kernel each time. The beginning of the heap, where blocks are made for readers, asks for large pages: the
// kernel copies out of them for less (measured: 212 ms of processor time for a file of 600 MB, not 242 ms),
// for some MB of memory more. Call it before other threads start. Does nothing where the C library is not
// glibc.
void tune_allocator();

}  // namespace plainfs
