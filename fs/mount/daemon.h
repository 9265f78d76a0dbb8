// Leaving the terminal. The parent stays until the child says that the mount answers, or why it does not, and
// exits with the true exit code; so nothing that starts a thread has to wait for the fork.
#pragma once

namespace plainfs {

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
