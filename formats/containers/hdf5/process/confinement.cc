#include "formats/containers/hdf5/process/confinement.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>

#ifdef __linux__
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__APPLE__) && __has_include(<sandbox.h>)
#include <sandbox.h>
#define PLAINFS_HAS_SANDBOX_INIT
#endif

#include "formats/core/base/call_filter.h"
#include "formats/core/base/file_pool.h"

namespace plainfs::hdf5 {
namespace {

constexpr int kSecondsBetweenLooks = 2;

// The limit of the address space, since a file of a few bytes can make the library allocate any size.
constexpr rlim_t kMaxMemory = rlim_t{8} << 30;

pid_t parent = 0;  // set before the handler that reads it

void look_for_parent(int) {
  if (::getppid() != parent) ::_exit(0);
}

template <class Resource>
void limit(Resource which, rlim_t most) {
  rlimit now{};
  if (::getrlimit(which, &now) != 0) return;
  now.rlim_cur = now.rlim_max = std::min(now.rlim_max, most);
  ::setrlimit(which, &now);
}

#ifdef __linux__
constexpr uint32_t kAllowed[] = {
    // for descriptors it was given
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    // examining paths
    SYS_newfstatat,
    SYS_statx,
    SYS_readlinkat,
    SYS_getcwd,
#ifdef SYS_stat
    SYS_stat,
    SYS_lstat,
    SYS_readlink,
#endif
    // memory
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    // time, locks, its own signals, its end
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_futex,
    SYS_sched_yield,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getrusage,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
#ifdef SYS_time
    SYS_time,
#endif
#ifdef SYS_getrlimit
    SYS_getrlimit,
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // for the sanitizers' run-time: checks of memory and of the stack, and its reports
    SYS_pipe2,
    SYS_sigaltstack,
    SYS_write,
#endif
};

std::string filter_calls() {
  const auto self = static_cast<uint32_t>(::getpid());
  const CallRule rules[] = {
      // No new executable code.
      {SYS_mmap, {{2, ArgumentTest::kHasNoneOf, PROT_EXEC}}},
      {SYS_mprotect, {{2, ArgumentTest::kHasNoneOf, PROT_EXEC}}},
      // It may send itself the signal of abort(), and read its limits but not change them.
      {SYS_tgkill, {{0, ArgumentTest::kIs, self}}},
      {SYS_prlimit64, {{0, ArgumentTest::kIs, 0}, {2, ArgumentTest::kIsNull}}},
  };
  return allow_calls_only(kAllowed, rules, EPERM);
}
#endif

#ifdef PLAINFS_HAS_SANDBOX_INIT
// Refuses to open, write, reach or start anything. Descriptors from before remain usable.
std::string refuse_all_files() {
  constexpr const char* kProfile =
      "(version 1)(allow default)(deny file-read-data)(deny file-write*)(deny network*)(deny process-exec*)"
      "(deny process-fork)";
  char* why = nullptr;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"  // since 10.8, without a replacement
  if (::sandbox_init(kProfile, 0, &why) == 0) return {};
  std::string text = std::string("sandbox_init: ") + (why ? why : "refused");
  if (why) ::sandbox_free_error(why);
#pragma clang diagnostic pop
  return text;
}
#endif

}  // namespace

std::string confine() {
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers take terabytes
  limit(RLIMIT_AS, kMaxMemory);
#endif
#ifdef __linux__
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_NAME, "plainfs-hdf5", 0, 0, 0);  // shown by top, instead of "exe"
  return filter_calls();
#elif defined(PLAINFS_HAS_SANDBOX_INIT)
  return refuse_all_files();
#else
  return "this system cannot filter system calls";
#endif
}

void keep_only_socket(int socket) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, static_cast<unsigned>(socket) + 1, ~0U, 0U) == 0) return;
#endif
  const auto end = static_cast<int>(std::min<size_t>(max_descriptors(), 65536));
  for (int descriptor = socket + 1; descriptor < end; ++descriptor) ::close(descriptor);
}

void end_with_parent() {
  parent = ::getppid();
  struct sigaction action {};
  action.sa_handler = look_for_parent;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval every{{kSecondsBetweenLooks, 0}, {kSecondsBetweenLooks, 0}};
  ::setitimer(ITIMER_REAL, &every, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
}

}  // namespace plainfs::hdf5
