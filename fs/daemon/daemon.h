// Daemonization: leaving the terminal, and memory settings for a daemon that fills one budget of large
// buffers from many threads.
#pragma once

namespace plainfs {

// Limits the allocator to one arena. With one arena per thread, memory freed by one thread is not available
// to others, and the daemon grows far beyond the cache budget (measured: 480 MB, not 296 MB, after a 655 MB
// file with a budget of 256 MiB). Buffers up to 4 MiB stay on the heap, so that they are reused instead of
// being mapped and cleared by the kernel each time. Memory that libc would allocate for the first exception
// is allocated here. Call it before other threads start. Does nothing if the C library is not glibc.
void tune_allocator();

// Notes how the program was started (own_program()). Call it before anything else.
void note_program();

#ifdef PLAINFS_STATIC
// Has users, groups and hosts looked up in files and by DNS alone. Other places, such as LDAP's, would be
// looked up by libraries of the system's C library.
void look_up_names_without_libraries();
#endif

// Returns free memory between used blocks to the system, which the allocator never does by itself. Takes
// milliseconds.
void give_memory_back();

// The separation from the terminal. The constructor forks, so that threads may be started any time after it.
// The parent waits until the child reports that the mount answers, or why it does not, and exits with the
// correct code.
class Daemon {
 public:
  // foreground: true makes this and ready() do nothing.
  explicit Daemon(bool foreground);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Lets the parent exit with 0 and gives up the terminal, the current directory and the standard streams.
  // Only the first call has an effect. Thread-safe.
  void ready();

 private:
  int parent_ = -1;  // a pipe to the parent; its end without a word means failure, and then the parent waits
                     // for the exit code
};

}  // namespace plainfs
