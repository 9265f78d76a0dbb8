#include "fs/mount/sandbox_calls.h"

#ifdef __linux__
#include <sys/socket.h>
#include <sys/syscall.h>

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
    SYS_fcntl,
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
    SYS_ioctl,
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
    SYS_clone,
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
    SYS_kill,
    SYS_tgkill,
    SYS_execve,
    SYS_wait4,
    SYS_waitid,
    SYS_exit,
    SYS_exit_group,
    SYS_setsid,
    SYS_setitimer,
    SYS_getrusage,
    SYS_prlimit64,
    SYS_prctl,
    SYS_seccomp,
    SYS_membarrier,
    // who and where it is
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
    // the log, libhdf5's process, servers
    SYS_connect,
    SYS_sendto,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_sendmmsg,
    SYS_recvmmsg,
    SYS_shutdown,
    SYS_bind,
    SYS_getsockname,
    SYS_getpeername,
    SYS_setsockopt,
    SYS_getsockopt,
    SYS_socketpair,
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
    SYS_ptrace,  // how leaks are looked for
    SYS_personality,
#endif
};

}  // namespace

// ENOSYS, after which the C library tries an older call: clone for clone3.
std::string filter_daemon_calls(bool with_network) {
  std::vector<uint32_t> calls(std::begin(kAllowed), std::end(kAllowed));
  if (with_network) {
    calls.push_back(SYS_socket);
    return allow_calls_only(calls, {}, ENOSYS);
  }
  const CallCondition local{SYS_socket, 0, AF_UNIX, true};  // the system's log
  return allow_calls_only(calls, {&local, 1}, ENOSYS);
}

}  // namespace plainfs
#endif
