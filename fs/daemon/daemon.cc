#include "fs/daemon/daemon.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>  // defines __GLIBC__
#include <cstring>
#include <string>

#include "formats/core/base/descriptor.h"
#include "formats/core/base/own_program.h"
#include "fs/command_line/exit_code.h"

#ifdef __GLIBC__
#include <execinfo.h>
#include <malloc.h>
#endif

namespace plainfs {

void tune_allocator() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
  // An exception that leaves std::call_once passes through libc, which then loads a library, and ends the
  // program if there is no memory for it.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
#endif
}

void note_program() {
  own_program();
#ifdef PLAINFS_STATIC
  look_up_names_without_libraries();
#endif
}

void give_memory_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

namespace {

// Waits until the child is ready or has ended, and exits.
[[noreturn]] void wait_for(pid_t child, int pipe) {
  char word = 0;
  ssize_t got = 0;
  do {
    got = ::read(pipe, &word, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 1) ::_exit(kSuccess);
  const int status = wait_for_end(child);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "plainfs: ended by signal %d\n", WTERMSIG(status));
  ::_exit(WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : int{kLoopFailed});
}

}  // namespace

Daemon::Daemon(bool foreground) {
  if (foreground) return;
  int ends[2];
  if (::pipe(ends) != 0) throw Failure(kNotDaemonized, fmt::format("pipe: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child < 0) throw Failure(kNotDaemonized, fmt::format("fork: {}", std::strerror(errno)));
  if (child > 0) {
    ::close(ends[1]);
    wait_for(child, ends[0]);
  }
  ::close(ends[0]);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  parent_ = ends[1];
}

Daemon::~Daemon() {
  if (parent_ >= 0) ::close(parent_);
}

void Daemon::ready() {
  if (parent_ < 0) return;
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (::chdir("/") == 0 && nothing >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  }
  ::close(nothing);
  const char word = 1;
  const ssize_t written = ::write(parent_, &word, 1);
  static_cast<void>(written);  // the parent may be gone
  ::close(parent_);
  parent_ = -1;
}

}  // namespace plainfs
