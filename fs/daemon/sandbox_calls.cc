#include "fs/daemon/daemon_sandbox.h"

#ifdef __linux__
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <iterator>
#include <vector>

#include "formats/core/base/call_filter.h"

namespace plainfs {
namespace {

constexpr uint32_t kAllowed[] = {
    // files
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_preadv,
    SYS_write,
    SYS_pwrite64,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_openat,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_getdents64,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_getcwd,
    SYS_chdir,
    SYS_umask,
    SYS_flock,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_fadvise64,
    SYS_readahead,
    SYS_fsync,
    SYS_ftruncate,
    SYS_mkdirat,
    SYS_unlinkat,
    SYS_utimensat,
    SYS_memfd_create,
    SYS_inotify_init1,
    SYS_inotify_add_watch,
    SYS_splice,
    SYS_vmsplice,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_fgetxattr,
    // waiting
    SYS_ppoll,
    SYS_pselect6,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_eventfd2,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    // memory
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_mincore,
    // threads, signals, and the process of libhdf5
    SYS_futex,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_execve,
    SYS_wait4,
    SYS_waitid,
    SYS_exit,
    SYS_exit_group,
    SYS_setsid,
    SYS_setitimer,
    SYS_getrusage,
    SYS_prctl,
    SYS_seccomp,
    SYS_membarrier,
    // identity and location
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getpgid,
    SYS_getgroups,
    SYS_getrandom,
    SYS_uname,
    SYS_sysinfo,
    // neighbouring processes
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_setsockopt,
    SYS_getsockopt,
#ifdef SYS_open
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_mkdir,
    SYS_rmdir,
    SYS_unlink,
    SYS_rename,
    SYS_dup2,
    SYS_pipe,
    SYS_poll,
    SYS_select,
    SYS_epoll_wait,
    SYS_epoll_create,
    SYS_eventfd,
    SYS_vfork,
    SYS_fork,
    SYS_time,
    SYS_getrlimit,
    SYS_arch_prctl,
    SYS_utimes,
    SYS_getpgrp,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef SYS_renameat2
    SYS_renameat2,
#endif
#ifdef SYS_openat2
    SYS_openat2,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_close_range
    SYS_close_range,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SYS_ptrace,  // used by the leak checker
    SYS_personality,
#endif
};

// For a remote store: servers, and name resolution.
constexpr uint32_t kNetwork[] = {
    SYS_socket,   SYS_socketpair, SYS_connect,     SYS_bind,        SYS_sendto,   SYS_recvfrom,
    SYS_sendmmsg, SYS_recvmmsg,   SYS_getsockname, SYS_getpeername, SYS_shutdown,
};

// For a server: no call that creates or connects a socket.
constexpr uint32_t kServing[] = {SYS_accept4, SYS_recvfrom, SYS_sendto, SYS_shutdown};

// Without the commands that make a descriptor send signals (F_SETOWN).
constexpr int kFileCommands[] = {F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,  F_GETFL,
                                 F_SETFL,     F_GETLK,         F_SETLK,     F_SETLKW, F_ADD_SEALS,
                                 F_GET_SEALS, F_GETPIPE_SZ,    F_SETPIPE_SZ};

// Without the command that types into a terminal (TIOCSTI).
constexpr unsigned long kDeviceCommands[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO};

// New user namespaces, in which a process is root.
constexpr uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

std::vector<CallRule> conditional_calls() {
  using Test = ArgumentTest;
  const auto self = static_cast<uint32_t>(::getpid());
  std::vector<CallRule> rules{
      {SYS_clone, {{0, Test::kHasNoneOf, kNamespaces}}},
      {SYS_prlimit64, {{0, Test::kIs, 0}}},     // its own: the libhdf5 process lowers them
      {SYS_kill, {{1, Test::kIs, SIGKILL}}},    // the libhdf5 process
      {SYS_tgkill, {{0, Test::kIs, self}}},     // threads
      {SYS_tgkill, {{2, Test::kIs, SIGABRT}}},  // abort() in the libhdf5 process
      // A pair of stream sockets cannot be connected to anything else; datagram sockets could.
      {SYS_socketpair, {{0, Test::kIs, AF_UNIX}, {1, Test::kIs, SOCK_STREAM | SOCK_CLOEXEC}}},
  };
  for (const int command : kFileCommands)
    rules.push_back({SYS_fcntl, {{1, Test::kIs, static_cast<uint32_t>(command)}}});
  for (const unsigned long command : kDeviceCommands)
    rules.push_back({SYS_ioctl, {{1, Test::kIs, static_cast<uint32_t>(command)}}});
  return rules;
}

}  // namespace

// Returns ENOSYS for other calls, so that the C library tries an older one: clone instead of clone3.
std::string filter_daemon_calls(bool with_network, bool serves) {
  std::vector<uint32_t> calls(std::begin(kAllowed), std::end(kAllowed));
  if (with_network) calls.insert(calls.end(), std::begin(kNetwork), std::end(kNetwork));
  if (serves) calls.insert(calls.end(), std::begin(kServing), std::end(kServing));
  return allow_calls_only(calls, conditional_calls(), ENOSYS);
}

}  // namespace plainfs
#endif
