#include "formats/hdf5/process/confinement.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <system_error>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <vector>
#endif

#include "formats/base/file_pool.h"

namespace plainfs::hdf5 {
namespace {

constexpr int kSecondsBetweenLooks = 2;

// Of the address space: what a file of a few bytes makes the library ask for is refused beyond.
constexpr rlim_t kMostMemory = rlim_t{8} << 30;

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
#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;  // no filter is known for it
#endif

constexpr uint32_t kAllowed[] = {
    // what it was given
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    // looking at paths
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
    // time, locks, signals of its own, its end
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
    SYS_prlimit64,
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
    // how the run-time of the sanitizers sees whether memory and which stack is there, and says what it found
    SYS_pipe2,
    SYS_sigaltstack,
    SYS_write,
#endif
};

// Allowed where this argument has none of these bits, or is this very value.
struct Condition {
  uint32_t call;
  unsigned argument;
  uint32_t value;
  bool is_value;
};

void allow_if(std::vector<sock_filter>& filter, const Condition& condition) {
  const auto low_word = static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * condition.argument);
  const sock_filter test = condition.is_value
                               ? sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, condition.value, 0, 1)
                               : sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, condition.value, 1, 0);
  const sock_filter rule[] = {
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, condition.call, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_word),
      test,
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  filter.insert(filter.end(), std::begin(rule), std::end(rule));
}

std::vector<sock_filter> make_filter() {
  std::vector<sock_filter> filter{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, arch))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, nr))),
  };
  for (const uint32_t call : kAllowed) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  // No code but what is there; the signal of abort() for itself alone.
  allow_if(filter, {SYS_mmap, 2, PROT_EXEC, false});
  allow_if(filter, {SYS_mprotect, 2, PROT_EXEC, false});
  allow_if(filter, {SYS_tgkill, 0, static_cast<uint32_t>(::getpid()), true});
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  return filter;
}

std::string filter_calls() {
  if (kMachine == 0) return "no filter of system calls is known for this machine";
  std::vector<sock_filter> filter = make_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0)
    return {};
  return "the system filters no system calls: " + std::generic_category().message(errno);
}
#endif

}  // namespace

std::string confine() {
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take terabytes
  limit(RLIMIT_AS, kMostMemory);
#endif
#ifdef __linux__
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_NAME, "plainfs-hdf5", 0, 0, 0);  // in top; else "exe"
  return filter_calls();
#else
  return "this system has no filter of system calls";
#endif
}

void keep_only_socket(int socket) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, static_cast<unsigned>(socket) + 1, ~0U, 0U) == 0) return;
#endif
  const auto end = static_cast<int>(std::min<size_t>(most_descriptors(), 65536));
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
