// Each case runs in a child process, which stays confined.
#include "fs/daemon/daemon_sandbox.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

constexpr int kNoSandbox = 200;

// Returns the errno of an action in a sandbox with these options, or 0.
int refusal(const Options& options, const std::function<bool()>& succeeds) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!enter_sandbox(options).empty()) ::_exit(kNoSandbox);
    errno = 0;
    ::_exit(succeeds() ? 0 : errno);
  }
  int status = -1;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

bool can_open(const std::string& path, int flags = O_RDONLY) {
  return ::open(path.c_str(), flags | O_CLOEXEC, 0600) >= 0;
}

// Runs the program with --version and discards the output.
bool can_run(const char* program) {
  char version[] = "--version";
  char* const arguments[] = {const_cast<char*>(program), version, nullptr};
  char* const environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program, &actions, nullptr, arguments, environment);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) errno = error;
  int status = -1;
  return error == 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

struct Places {
  Places() {
    for (const std::string& path : {stores, outside, index, mountpoint}) ::mkdir(path.c_str(), 0700);
    for (const std::string& path : {store, secret}) std::ofstream(path) << "x";
    options.store = store;
    options.index = index;
    options.mountpoint = mountpoint;
  }
  bool has_sandbox() const {
    if (refusal(options, [] { return true; }) != kNoSandbox) return true;
    BOOST_TEST_MESSAGE("skipped: this system has no Landlock");
    return false;
  }

  TemporaryDirectory folder;
  std::string stores = folder.path("stores"), outside = folder.path("outside"), index = folder.path("index"),
              mountpoint = folder.path("mountpoint"), store = stores + "/a.h5", secret = outside + "/secret";
  Options options;
};

BOOST_FIXTURE_TEST_SUITE(sandbox, Places)

BOOST_AUTO_TEST_CASE(the_folder_of_the_store_is_read_and_nothing_else) {
  if (!has_sandbox()) return;
  BOOST_TEST(refusal(options, [&] { return can_open(store); }) == 0);
  BOOST_TEST(refusal(options, [&] { return can_open(stores); }) == 0);
  BOOST_TEST(refusal(options, [&] { return can_open(secret); }) == EACCES);
  BOOST_TEST(refusal(options, [&] { return can_open("/etc/passwd"); }) == EACCES);
  BOOST_TEST(refusal(options, [&] { return can_open(store, O_WRONLY); }) == EACCES);
  BOOST_TEST(refusal(options, [&] { return can_open(stores + "/new", O_WRONLY | O_CREAT); }) == EACCES);
  BOOST_TEST(refusal(options, [&] { return ::unlink(store.c_str()) == 0; }) == EACCES);
  BOOST_TEST(refusal(options, [&] {  // nor by a later thread
               int error = 0;
               std::thread([&] { error = can_open(secret) ? 0 : errno; }).join();
               errno = error;
               return error == 0;
             }) == EACCES);
  options.read.follow_outside = true;
  BOOST_TEST(refusal(options, [&] { return can_open(secret); }) == 0);
  BOOST_TEST(refusal(options, [&] { return can_open(secret, O_WRONLY); }) == EACCES);
}

BOOST_AUTO_TEST_CASE(missing_kernel_features_are_reported) {
  const pid_t child = ::fork();
  if (child == 0) {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{4, filter};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    ::_exit(enter_sandbox(options).starts_with("the system has no Landlock") ? 0 : 1);
  }
  int status = -1;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(target_of_a_link_to_the_store_is_readable) {
  if (!has_sandbox()) return;
  const std::string link = outside + "/link";
  BOOST_REQUIRE(::symlink(store.c_str(), link.c_str()) == 0);
  options.store = link;
  BOOST_TEST(refusal(options, [&] { return can_open(link); }) == 0);
}

BOOST_AUTO_TEST_CASE(replacement_of_the_mounted_folder_is_readable) {
  if (!has_sandbox()) return;
  const std::string store_folder = stores + "/matrix", kept = stores + "/kept";
  ::mkdir(store_folder.c_str(), 0700);
  options.store = store_folder;
  int turn[2];
  BOOST_REQUIRE(::pipe(turn) == 0);
  std::thread other([&] {  // not confined
    char word = 0;
    if (::read(turn[0], &word, 1) != 1) return;
    ::rename(store_folder.c_str(), kept.c_str());
    ::mkdir(store_folder.c_str(), 0700);
    std::ofstream(store_folder + "/version") << "new";
  });
  BOOST_TEST(refusal(options, [&] {
               if (::write(turn[1], "", 1) != 1) return false;
               for (int looks = 0; looks < 2000; ++looks) {
                 if (can_open(store_folder + "/version")) return true;
                 if (errno != ENOENT) return false;
                 ::usleep(5000);
               }
               return false;
             }) == 0);
  other.join();
}

BOOST_AUTO_TEST_CASE(only_the_index_and_the_log_are_written) {
  if (!has_sandbox()) return;
  const std::string file = index + "/a.sizes";
  BOOST_TEST(refusal(options, [&] {
               return can_open(file + ".part", O_WRONLY | O_CREAT | O_EXCL) &&
                      ::rename((file + ".part").c_str(), file.c_str()) == 0 && ::unlink(file.c_str()) == 0;
             }) == 0);
  options.log_file = folder.path("log");
  BOOST_TEST(refusal(options, [&] { return can_open(options.log_file, O_WRONLY | O_APPEND); }) == 0);
  BOOST_TEST(refusal(options, [&] { return can_open(secret, O_WRONLY); }) == EACCES);
}

BOOST_AUTO_TEST_CASE(nothing_is_run_but_the_program_itself) {
  if (!has_sandbox()) return;
  BOOST_TEST(refusal(options, [] { return can_run("/bin/true"); }) == EACCES);
  BOOST_TEST(refusal(options, [] { return can_run("/proc/self/exe"); }) == 0);
}

// A process may write to its own memory, and execute that.
BOOST_AUTO_TEST_CASE(child_processes_are_confined_too) {
  if (!has_sandbox()) return;
  std::ifstream cat("/bin/cat", std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(cat), {}};
  const auto shows = [&](std::string path) {  // becomes a cat of the file
    const int file = ::memfd_create("program", 0), nowhere = ::open("/dev/null", O_WRONLY);
    if (::write(file, program.data(), program.size()) != static_cast<ssize_t>(program.size())) return false;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    std::string name = "cat";
    char* const arguments[] = {name.data(), path.data(), nullptr};
    char* const environment[] = {nullptr};
    ::execve(("/proc/self/fd/" + std::to_string(file)).c_str(), arguments, environment);
    return false;
  };
  constexpr int kCatFails = 1;
  BOOST_TEST(refusal(options, [&] { return shows(store); }) == 0);
  BOOST_TEST(refusal(options, [&] { return shows(secret); }) == kCatFails);
}

BOOST_AUTO_TEST_CASE(no_server_is_reached_for_a_store_of_this_machine) {
  if (!has_sandbox()) return;
  const auto internet = [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; };
  BOOST_TEST(refusal(options, internet) == ENOSYS);
  options.store = "https://localhost/a.h5";
  BOOST_TEST(refusal(options, internet) == 0);
  BOOST_TEST(refusal(options, [&] { return can_open(store); }) == EACCES);
}

// A process that reaches the user's bus, or a system socket, can have others start programs.
BOOST_AUTO_TEST_CASE(no_program_of_this_machine_is_reached_for_a_store_of_it) {
  if (!has_sandbox()) return;
  sockaddr_un bus{};
  bus.sun_family = AF_UNIX;
  const std::string path = folder.path("bus");
  path.copy(bus.sun_path, sizeof bus.sun_path - 1);
  const auto* const address = reinterpret_cast<const sockaddr*>(&bus);
  const int server = ::socket(AF_UNIX, SOCK_DGRAM, 0), client = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  BOOST_REQUIRE(::bind(server, address, sizeof bus) == 0);
  for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET})
    BOOST_TEST(refusal(options, [&] { return ::socket(AF_UNIX, type, 0) >= 0; }) == ENOSYS);
  BOOST_TEST(refusal(options, [&] { return ::connect(client, address, sizeof bus) == 0; }) == ENOSYS);
  BOOST_TEST(refusal(options, [&] { return ::sendto(client, "", 0, 0, address, sizeof bus) == 0; }) ==
             ENOSYS);
  int ends[2];
  BOOST_TEST(refusal(options, [&] { return ::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0; }) == ENOSYS);
  BOOST_TEST(refusal(options, [&] {  // the socket type of the other processes
               if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
               msghdr message{};
               message.msg_name = &bus;
               message.msg_namelen = sizeof bus;
               return ::sendmsg(ends[0], &message, 0) >= 0;
             }) == EISCONN);
  for (const int socket : {server, client}) ::close(socket);
}

// Another process of the user, outside of the sandbox.
struct Other {
  Other() {
    if (number == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  ~Other() {
    ::kill(number, SIGKILL);
    ::waitpid(number, nullptr, 0);
  }
  const pid_t number = ::fork();
};

BOOST_AUTO_TEST_CASE(no_other_process_is_limited_or_signalled) {
  if (!has_sandbox()) return;
  const Other other;
  rlimit limit{}, after{};
  BOOST_REQUIRE(::prlimit(other.number, RLIMIT_NOFILE, nullptr, &limit) == 0);
  BOOST_TEST(refusal(options, [&] {
               const rlimit one{1, limit.rlim_max};
               return ::prlimit(other.number, RLIMIT_NOFILE, &one, nullptr) == 0;
             }) == ENOSYS);
  BOOST_REQUIRE(::prlimit(other.number, RLIMIT_NOFILE, nullptr, &after) == 0);
  BOOST_TEST(after.rlim_cur == limit.rlim_cur);
  BOOST_TEST(refusal(options, [&] { return ::getrlimit(RLIMIT_NOFILE, &limit) == 0; }) == 0);
  BOOST_TEST(refusal(options, [&] { return ::kill(other.number, SIGTERM) == 0; }) == ENOSYS);
  BOOST_TEST(refusal(options, [&] {
               return ::syscall(SYS_tgkill, other.number, other.number, SIGUSR1) == 0;
             }) == ENOSYS);
  BOOST_TEST(refusal(options, [&] {
               const int file = ::open("/dev/null", O_RDONLY);
               return ::fcntl(file, F_SETOWN, other.number) == 0;
             }) == ENOSYS);
}

BOOST_AUTO_TEST_CASE(no_other_process_is_killed_if_landlock_scopes_signals) {
  constexpr long kFirstThatCan = 6;  // Linux 6.12
  if (!has_sandbox()) return;
  if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < kFirstThatCan) {
    BOOST_TEST_MESSAGE("skipped: this kernel's Landlock knows no signals");
    return;
  }
  const Other other;
  for (const int number : {SIGKILL, SIGABRT}) {
    BOOST_TEST(refusal(options, [&] {
                 return ::syscall(SYS_tgkill, other.number, other.number, number) == 0;
               }) == (number == SIGKILL ? ENOSYS : EPERM));
  }
  BOOST_TEST(refusal(options, [&] { return ::kill(other.number, SIGKILL) == 0; }) == EPERM);
  BOOST_TEST(::waitpid(other.number, nullptr, WNOHANG) == 0);
  BOOST_TEST(refusal(options, [] {  // a process that it has started
               const pid_t child = ::fork();
               while (child == 0) ::usleep(10'000);  // pause() is refused
               int status = 0;
               return ::kill(child, SIGKILL) == 0 && ::waitpid(child, &status, 0) == child &&
                      WIFSIGNALED(status);
             }) == 0);
}

BOOST_AUTO_TEST_CASE(nothing_is_typed_into_a_terminal) {
  if (!has_sandbox()) return;
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  BOOST_REQUIRE(terminal >= 0);
  BOOST_TEST(refusal(options, [&] { return ::ioctl(terminal, TIOCSTI, "x") == 0; }) == ENOSYS);
  BOOST_TEST(refusal(options, [&] {
               termios settings{};
               return ::tcgetattr(terminal, &settings) == 0;
             }) == 0);
  ::close(terminal);
}

BOOST_AUTO_TEST_CASE(no_user_namespace_can_be_created) {
  if (!has_sandbox()) return;
  BOOST_TEST(refusal(options, [] { return ::unshare(CLONE_NEWUSER) == 0; }) == ENOSYS);
  BOOST_TEST(refusal(options, [] {
               const long child = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
               if (child == 0) ::_exit(0);
               return child > 0;
             }) == ENOSYS);
}

BOOST_AUTO_TEST_CASE(nothing_is_mounted_or_looked_into) {
  if (!has_sandbox()) return;
  BOOST_TEST(refusal(options, [&] {
               return ::mount("none", mountpoint.c_str(), "tmpfs", 0, nullptr) == 0;
             }) == ENOSYS);
  BOOST_TEST(refusal(options, [&] { return ::umount2(mountpoint.c_str(), 0) == 0; }) == ENOSYS);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  BOOST_TEST(refusal(options, [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }) == ENOSYS);
#endif
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
