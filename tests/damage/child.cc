#include "tests/damage/child.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string_view>

#include "formats/core/base/error.h"

namespace plainfs::damage {
namespace {

constexpr unsigned kProcessorSeconds = 60;
constexpr unsigned kSeconds = 300;  // for a sleeping child; a busy machine must not look like a hang

// Returns whether a signal interrupted libhdf5's own code, or the C library's called from there. Our
// callbacks inside H5Literate have the library on the stack too, but not on top.
bool library_was_running() {
  void* frames[128];
  const int count = backtrace(frames, 128);
  bool in_handler = true;  // its own frames lie above those of the C library that called it
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (!dladdr(frames[i], &info) || !info.dli_fname) return false;
    const std::string_view object = info.dli_fname;
    const auto is = [&](std::string_view name) { return object.find(name) != std::string_view::npos; };
    const bool is_system = is("/libc.") || is("/ld-linux") || is("/libpthread");
    if (is_system) in_handler = false;
    if (!is_system && !in_handler) return is("libhdf5");
  }
  return false;
}

void die(int signal) {
  if (library_was_running()) _exit(died_in_library);
  _exit(signal == SIGALRM || signal == SIGXCPU ? out_of_time : died);
}

[[noreturn]] void child(const std::function<int()>& work) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM, SIGXCPU})
    std::signal(signal, die);
  alarm(kSeconds);
  const rlimit processor{kProcessorSeconds, kProcessorSeconds + 5};
  setrlimit(RLIMIT_CPU, &processor);
#ifndef __SANITIZE_ADDRESS__
  const rlimit memory{rlim_t{3} << 30, rlim_t{3} << 30};
  setrlimit(RLIMIT_AS, &memory);
#endif
  try {
    _exit(work());
  } catch (const Error&) {
    _exit(refused);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "  no Error: %s\n", error.what());
    _exit(foreign_exception);
  } catch (...) {
    _exit(foreign_exception);
  }
}

}  // namespace

int fate_of(const std::function<int()>& work) {
  void* warm_up[1];
  backtrace(warm_up, 1);  // loads libgcc now and not in a signal handler
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("no process for a trial");
  if (process == 0) child(work);
  int status = 0;
  if (waitpid(process, &status, 0) != process) throw std::runtime_error("a trial was lost");
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(died);
}

}  // namespace plainfs::damage
