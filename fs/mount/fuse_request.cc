#include "fs/mount/fuse_request.h"

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
#include <signal.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <new>
#include <string>

#include "fs/mount/fuse.h"

namespace plainfs {
namespace {

int64_t tick() {
  timespec now{};
#ifdef CLOCK_MONOTONIC_COARSE
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  now.tv_nsec -= now.tv_nsec % 4'000'000;
#endif
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

constexpr uint64_t bit(int signal) {
  return uint64_t{1} << (signal - 1);
}

// Signals by which people and programs end a process, whether it handles them or not.
constexpr uint64_t kEnding = bit(SIGKILL) | bit(SIGHUP) | bit(SIGINT) | bit(SIGQUIT) | bit(SIGTERM);

// Whether a signal that ends the thread's process, or is meant to, waits for it to come back from its
// question. Where that cannot be seen: true.
bool is_being_ended(pid_t thread) try {
  std::ifstream status("/proc/" + std::to_string(thread) + "/status");
  uint64_t pending = 0, caught = 0, ignored = 0, blocked = 0;
  bool any = false;
  for (std::string line; std::getline(status, line);) {
    const auto mask = [&] { return std::strtoull(line.c_str() + 7, nullptr, 16); };
    if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:")) {
      pending |= mask();
      any = true;
    } else if (line.starts_with("SigBlk:")) {
      blocked = mask();
    } else if (line.starts_with("SigIgn:")) {
      ignored = mask();
    } else if (line.starts_with("SigCgt:")) {
      caught = mask();
    }
  }
  const uint64_t ends = pending & ~blocked & ~ignored & (kEnding | ~caught);
  // What nobody handles ends the process, but for these.
  const uint64_t harmless = bit(SIGCHLD) | bit(SIGCONT) | bit(SIGURG) | bit(SIGWINCH) | bit(SIGTSTP) |
                            bit(SIGTTIN) | bit(SIGTTOU) | bit(SIGSTOP);
  return !any || (ends & ~harmless) != 0;
} catch (const std::bad_alloc&) {
  return false;  // it is asked again
}

}  // namespace

bool is_abandoned(fuse_req* request) noexcept {
  return fuse_req_interrupted(request) && is_being_ended(fuse_req_ctx(request)->pid);
}

FuseRequest::FuseRequest(fuse_req* request, const FuseMount& mount)
    : request_(request), mount_(mount), looked_at_(tick()) {}

bool FuseRequest::cancelled() const {
  if (mount_.is_over()) return true;
  const int64_t now = tick();
  if (looked_at_.exchange(now, std::memory_order_relaxed) != now &&
      !is_abandoned_.load(std::memory_order_relaxed))
    is_abandoned_.store(is_abandoned(request_), std::memory_order_relaxed);
  return is_abandoned_.load(std::memory_order_relaxed);
}

}  // namespace plainfs
