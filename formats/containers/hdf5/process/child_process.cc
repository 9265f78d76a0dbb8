#include "formats/containers/hdf5/process/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <string_view>

#include "formats/containers/hdf5/process/serve.h"
#include "formats/core/base/local_file.h"

extern char** environ;

namespace plainfs::hdf5 {
namespace {

// The wait is bounded, since the system may not release a process (storage that hangs).
constexpr int kMaxLooks = 200;
constexpr int kLooksAtOneGone = 20;  // for a process that has closed its end and is about to exit
constexpr timespec kBetweenLooks{0, 5'000'000};

constexpr const char* kWhere = "libhdf5's process";

// Returns the variables that the library, the loader and the sanitizers use. The process gets no others: they
// include keys to services.
std::vector<char*> environment() {
  std::vector<char*> kept;
  for (char** each = environ; each && *each; ++each) {
    const std::string_view variable = *each;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (name.starts_with("HDF5_") || name.starts_with("LD_") || name.starts_with("DYLD_") ||
        name.ends_with("SAN_OPTIONS"))
      kept.push_back(*each);
  }
  kept.push_back(nullptr);
  return kept;
}

class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  // Gives the process the socket and no other input or output, and resets all signals.
  void prepare(int socket) {
    // The socket is duplicated above its final number first, because dup2 to the same number would leave it
    // to be closed at exec.
    const bool has_null = ::access("/dev/null", R_OK | W_OK) == 0;  // not in every root
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      if (has_null)
        ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
      else
        ::posix_spawn_file_actions_addclose(&actions, stream);
    }
    ::posix_spawn_file_actions_adddup2(&actions, socket, kServedSocket);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &signals);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// Returns the socket with a number above those that the process uses.
Descriptor moved_up(Descriptor socket) {
  const int higher = ::fcntl(socket.number(), F_DUPFD_CLOEXEC, kServedSocket + 1);
  if (higher < 0) throw system_error(kWhere, errno);
  return Descriptor(higher);
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> command) {
  ChannelEnds ends = make_channel();
  const Descriptor theirs = moved_up(std::move(ends.theirs));
  SpawnActions spawn;
  spawn.prepare(theirs.number());
  command.push_back(kServeCommand);
  std::string name = "plainfs";
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.front() = name.data();
  arguments.push_back(nullptr);
  const int error = ::posix_spawn(&number_, command.front().c_str(), &spawn.actions, &spawn.attributes,
                                  arguments.data(), environment().data());
  if (error != 0) throw system_error(kWhere, error);
  channel_ = Channel(std::move(ends.ours), false);
}

ChildProcess::~ChildProcess() {
  end();
}

bool ChildProcess::is_running() {
  int status = 0;
  if (!status_ && ::waitpid(number_, &status, WNOHANG) == number_) status_ = status;
  return !status_;
}

void ChildProcess::wait_for_end(int max_looks) {
  for (int looks = 0; is_running() && looks < max_looks; ++looks) ::nanosleep(&kBetweenLooks, nullptr);
}

void ChildProcess::end() {
  if (!is_running()) return;
  ::kill(number_, SIGKILL);
  wait_for_end(kMaxLooks);
}

std::string ChildProcess::what_ended_it() {
  wait_for_end(kLooksAtOneGone);
  if (!status_) return "invalid reply";
  if (WIFSIGNALED(*status_)) return fmt::format("signal {}", WTERMSIG(*status_));
  return fmt::format("exit code {}", WEXITSTATUS(*status_));
}

}  // namespace plainfs::hdf5
