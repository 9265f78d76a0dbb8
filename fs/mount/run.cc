#include "fs/mount/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/options.h"
#include "fs/ending.h"
#include "fs/mount/mount.h"
#include "fs/mount/mount_keeper.h"
#include "fs/mount/mountpoint.h"

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/signalfd.h>
#endif

namespace plainfs {
#ifdef __linux__
namespace {

namespace files = boost::filesystem;

constexpr const char* kPrefix = "plainfs-run-";
constexpr int kAttempts = 10;

// Locks the folder if it exists, belongs to this user, and no other process holds it.
Descriptor locked(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (folder.number() < 0 || ::fstat(folder.number(), &status) != 0 || status.st_uid != ::geteuid() ||
      ::flock(folder.number(), LOCK_EX | LOCK_NB) != 0 || ::fstat(folder.number(), &status) != 0 ||
      status.st_nlink == 0)
    return {};
  return folder;
}

// Removes empty directories only, which mountpoints are.
void remove_left_behind(const files::path& temporary) {
  boost::system::error_code error;
  for (files::directory_iterator at(temporary, error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with(kPrefix)) continue;
    const Descriptor folder = locked(at->path().string());
    if (folder.number() < 0) continue;
    boost::system::error_code ignored;
    for (files::directory_iterator inner(at->path(), ignored); !ignored && inner != end;
         inner.increment(ignored))
      ::rmdir(inner->path().c_str());
    ::rmdir(at->path().c_str());
  }
}

// The folder in which stores are mounted: below the folder for temporary files, private to this user. It is
// removed with the program or, if that was killed, at the latest when the next one starts.
class RunFolder {
 public:
  // Also removes folders that were left behind. is_private: whether mounts anywhere are private
  // (enter_private_mounts()). Throws Failure(kNoMountpoint), Failure(kMountFailed).
  explicit RunFolder(bool is_private);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // Returns a new mountpoint named after the store. Throws Failure(kNoMountpoint).
  std::string add(const std::string& store);

 private:
  std::string path_;
  Descriptor lock_;  // held while this process, or one that serves a store in it, runs
  std::vector<std::string> generated_;
  bool is_mounted_ = false;  // the folder is a mount point
};

RunFolder::RunFolder(bool is_private) {
  boost::system::error_code error;
  const files::path temporary = files::temp_directory_path(error);
  remove_left_behind(temporary);
  // Before a new folder is locked, another process may take it for one left behind. Without locks, no folder
  // is taken for left behind.
  for (int attempt = 0; lock_.number() < 0 && attempt < kAttempts; ++attempt) {
    if (attempt > 0) ::rmdir(path_.c_str());
    path_ = (temporary / (std::string(kPrefix) + "XXXXXX")).string();
    if (error || !::mkdtemp(path_.data()))
      throw Failure(kNoMountpoint, fmt::format("{}: {}; TMPDIR names another folder for temporary files",
                                               path_, std::strerror(errno)));
    lock_ = locked(path_);
  }
  path_ = files::canonical(path_).string();
  if (is_private) return;
  try {
    make_private(path_);
    is_mounted_ = true;
  } catch (...) {
    ::rmdir(path_.c_str());
    throw;
  }
}

RunFolder::~RunFolder() {
  for (const std::string& mountpoint : generated_) ::rmdir(mountpoint.c_str());
  if (is_mounted_) ::umount2(path_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
  ::rmdir(path_.c_str());
}

std::string RunFolder::add(const std::string& store) {
  const std::string path = new_mountpoint(path_, store);
  if (path.empty()) throw Failure(kNoMountpoint, path_ + ": cannot create a directory in it");
  generated_.push_back(path);
  return path;
}

// Returns the argument with the path of the mount in place of {} at its beginning, or after its first "=", if
// {} is alone or before a slash. {2} is the second mount. mountpoints: at least one.
std::string with_mountpoint(const std::string& argument, const std::vector<std::string>& mountpoints) {
  const size_t equals = argument.find('=');
  for (const size_t start : {size_t{0}, equals == std::string::npos ? equals : equals + 1}) {
    for (size_t i = 0; i <= mountpoints.size() && start != std::string::npos; ++i) {
      const std::string word = i == 0 ? "{}" : fmt::format("{{{}}}", i);
      const size_t end = start + word.size();
      if (argument.compare(start, word.size(), word) != 0) continue;
      if (end != argument.size() && argument[end] != '/') continue;
      return argument.substr(0, start) + mountpoints[i == 0 ? 0 : i - 1] + argument.substr(end);
    }
  }
  return argument;
}

constexpr int kNotRun = 126, kNoCommand = 127, kBySignal = 128;  // as in shells
constexpr int kForwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

int code_of(int status) {
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

// The signals of this process, delivered one after another.
class Signals {
 public:
  Signals() {
    sigset_t taken;
    sigemptyset(&taken);
    for (const int number : kForwarded) sigaddset(&taken, number);
    sigaddset(&taken, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &taken, &before_);
    file_ = ::signalfd(-1, &taken, SFD_CLOEXEC);
    if (file_ < 0) throw Failure(kNoSignalHandlers, fmt::format("signals: {}", std::strerror(errno)));
  }
  int file() const { return file_; }
  signalfd_siginfo next() const {
    signalfd_siginfo signal{};
    while (::read(file_, &signal, sizeof signal) != sizeof signal) {
    }
    return signal;
  }
  // Restores the signal mask in a child.
  void give_back() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
  int file_ = -1;
};

// A mounted store: a process that serves it until it is unmounted or this process is gone.
class Served {
 public:
  // Returns when the mount answers. Throws Ended with the exit code if it does not, or if a signal arrived
  // first.
  struct Ended {
    int code;
  };
  Served(const Options& options, const Signals& signals) : mountpoint_(options.mountpoint) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure(kNotDaemonized, std::strerror(errno));
    const pid_t parent = ::getpid();
    server_ = ::fork();
    if (server_ < 0) throw Failure(kNotDaemonized, fmt::format("fork: {}", std::strerror(errno)));
    if (server_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) ::_exit(kLoopFailed);
      ::setsid();  // signals of the terminal are not for it
      signals.give_back();
      const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      ::dup2(nothing, STDIN_FILENO);
      ::dup2(nothing, STDOUT_FILENO);  // otherwise a reader of the command's output would wait for it
      ::_exit(exit_code([&] {
        return mount_store(options, [&] {
          const ssize_t written = ::write(ends[1], "", 1);
          static_cast<void>(written);
        });
      }));
    }
    ::close(ends[1]);
    const int failed = wait_for(ends[0], signals);
    ::close(ends[0]);
    if (failed == 0) return;
    end();
    throw Ended{failed};
  }
  ~Served() { end(); }
  Served(Served&& other) noexcept
      : mountpoint_(std::move(other.mountpoint_)), server_(std::exchange(other.server_, -1)) {}
  Served& operator=(Served&&) = delete;

  const std::string& mountpoint() const { return mountpoint_; }

 private:
  // Returns 0 if the mount answers.
  int wait_for(int ready, const Signals& signals) {
    for (;;) {
      pollfd waiting[2] = {{ready, POLLIN, 0}, {signals.file(), POLLIN, 0}};
      ::poll(waiting, 2, -1);
      char word = 0;
      if (waiting[0].revents != 0) {
        if (::read(ready, &word, 1) == 1) return 0;
        const int status = wait_for_end(server_);
        server_ = -1;
        return code_of(status) == 0 ? int{kLoopFailed} : code_of(status);
      }
      if (waiting[1].revents == 0) continue;
      const auto number = static_cast<int>(signals.next().ssi_signo);
      if (number != SIGCHLD) return kBySignal + number;
    }
  }

  void end() {
    if (server_ < 0) return;
    if (::umount2(mountpoint_.c_str(), UMOUNT_NOFOLLOW) != 0) {
      // A process that the command left behind uses it.
      ::umount2(mountpoint_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
      ::kill(server_, SIGTERM);
    }
    wait_for_end(server_);
    server_ = -1;
  }

  std::string mountpoint_;
  pid_t server_ = -1;
};

[[noreturn]] void become(const std::vector<std::string>& command, const std::vector<std::string>& mountpoints,
                         const Signals& signals) {
  signals.give_back();
  ::setenv("PLAINFS_MOUNT", mountpoints[0].c_str(), 1);
  for (size_t i = 0; i < mountpoints.size(); ++i)
    ::setenv(fmt::format("PLAINFS_MOUNT_{}", i + 1).c_str(), mountpoints[i].c_str(), 1);
  std::vector<std::string> arguments;
  for (const std::string& argument : command) arguments.push_back(with_mountpoint(argument, mountpoints));
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  const int error = errno;
  std::fprintf(stderr, "plainfs: run: %s: %s\n", arguments[0].c_str(), std::strerror(error));
  ::_exit(error == ENOENT ? kNoCommand : kNotRun);
}

// Waits for the command to end. Passes on signals from other processes; the command gets the terminal's
// signals itself.
int wait_for_command(pid_t command, const Signals& signals) {
  for (;;) {
    const signalfd_siginfo signal = signals.next();
    if (signal.ssi_signo != SIGCHLD) {
      if (signal.ssi_code != SI_KERNEL) ::kill(command, static_cast<int>(signal.ssi_signo));
      continue;
    }
    int status = 0;
    if (::waitpid(command, &status, WNOHANG) == command) return code_of(status);
  }
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  const auto split = std::find(arguments.begin(), arguments.end(), "--");
  if (split == arguments.begin() || arguments.end() - split < 2)
    throw Failure(kUsage, "run: expected stores and a command: plainfs run STORE... -- COMMAND");
  std::vector<Options> stores = options_of_stores({arguments.begin(), split});
  if (stores.empty()) throw Failure(kUsage, "run: expected a store");
  for (Options& options : stores) options.foreground = true;
  const Signals signals;
  RunFolder folder(enter_private_mounts());
  std::vector<Served> served;
  std::vector<std::string> mountpoints;
  try {
    for (Options& options : stores) {
      options.mountpoint = folder.add(options.store);
      served.emplace_back(options, signals);
      mountpoints.push_back(options.mountpoint);
    }
  } catch (const Served::Ended& ended) {
    return ended.code;
  }
  const pid_t command = ::fork();
  if (command < 0) throw Failure(kNotDaemonized, fmt::format("fork: {}", std::strerror(errno)));
  if (command == 0) become({split + 1, arguments.end()}, mountpoints, signals);
  return wait_for_command(command, signals);
}
#else
int run_command(const std::vector<std::string>&) {
  enter_private_mounts();  // which throws, as this system has none
  return kMountFailed;
}
#endif

}  // namespace plainfs
