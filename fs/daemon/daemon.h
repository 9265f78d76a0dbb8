// Being a daemon: leaving the terminal, and memory as one needs it that fills one budget of large buffers
// from many threads.
#pragma once

namespace plainfs {

// One arena: with one a thread, what one thread frees another cannot use, and the daemon's memory grows far
// beyond the cache budget (measured: 480 MB, not 296 MB, after a 655 MB file with a budget of 256 MiB).
// Buffers up to 32 MiB stay on the heap, so that they are reused instead of being mapped and cleared by the
// kernel each time. What libc would allocate the first time an error passes it is allocated here. Call it
// before other threads start. Does nothing where the C library is not glibc.
void tune_allocator();

// What is free between what is not goes back to the system, which it would never do by itself. Takes
// milliseconds.
void give_memory_back();

// Leaving the terminal. The parent stays until the child says that the mount answers, or why it does not, and
// exits with the true exit code; so nothing that starts a thread has to wait for the fork.
class Daemon {
 public:
  // In the foreground nothing happens here and in ready().
  explicit Daemon(bool foreground);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Lets the parent exit with 0 and gives up the terminal, the current directory and the standard streams.
  // Only the first call counts. Thread-safe.
  void ready();

 private:
  int parent_ = -1;  // a pipe to the parent; its end without a word means failure, and then the parent waits
                     // for the exit code
};

}  // namespace plainfs
