#include "fs/mount/mount_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fuse_lowlevel.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <syslog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "cache/mutex.h"
#include "formats/core/base/channel.h"
#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"
#include "fs/mount/fuse_connection.h"
#include "fs/mount/fuse_session.h"
#include "fs/mounts/unmount.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace plainfs {

#ifdef __linux__
namespace {

// Returns whether a file of /proc/sys exists and contains "0".
bool is_off(const char* path) {
  std::ifstream file(path);
  std::string value;
  return file >> value && value == "0";
}

bool is_on(const char* path) {
  std::ifstream file(path);
  std::string value;
  return file >> value && value != "0";
}

// Returns the setting that an administrator must change; "" if no obstacle is visible.
std::string setting_against() {
  if (is_off("/proc/sys/kernel/unprivileged_userns_clone")) return "kernel.unprivileged_userns_clone=1";
  if (is_off("/proc/sys/user/max_user_namespaces")) return "user.max_user_namespaces=10000";
  if (is_on("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"))
    return "kernel.apparmor_restrict_unprivileged_userns=0";
  return {};
}

Failure refused(const char* what) {
  const std::string why = std::strerror(errno), setting = setting_against();
  return Failure(
      kMountFailed,
      fmt::format(
          "run: private mounts are not allowed here: {}: {}{}; instead: plainfs STORE MOUNTPOINT; "
          "COMMAND; plainfs umount MOUNTPOINT, or plainfs export",
          what, why,
          setting.empty() ? std::string() : fmt::format("; root can allow them: sysctl {}", setting)));
}

void write_file(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw refused(path);
}

}  // namespace

bool enter_private_mounts() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (errno != EPERM) throw refused("unshare");
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) throw refused("user namespace");
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", fmt::format("{} {} 1", user, user));
    write_file("/proc/self/gid_map", fmt::format("{} {} 1", group, group));
  }
  // Mounts made here stay private, and later mounts of the system appear here.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0) return true;
  if (errno != EINVAL) throw refused("mount");
  return false;
}

void make_private(const std::string& folder) {
  if (::mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      ::mount(nullptr, folder.c_str(), nullptr, MS_PRIVATE, nullptr) != 0)
    throw refused("mount");
}
#else
bool enter_private_mounts() {
  throw Failure(kMountFailed,
                "run: this system has no private mounts; instead: plainfs STORE MOUNTPOINT; COMMAND; "
                "umount MOUNTPOINT");
}

void make_private(const std::string&) {}
#endif

namespace {

enum Question : uint32_t { kMount, kUnmount, kUnmountIfUnused, kForget, kLog, kOpenLog };

constexpr uint64_t kMaxBytes = 1 << 20;  // of a question: paths and options

struct SessionEnd {
  void operator()(fuse_session* session) const { fuse_session_destroy(session); }
};

// Closes the streams of the process that started the daemon, which waits for their end.
void give_up_streams() {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (::chdir("/") == 0 && nothing >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  }
  ::close(nothing);
}

// Signals of the terminal are for the daemon. Call it only after the last access to the mountpoint before the
// mount answers: while autofs or systemd's .automount has it mounted, the kernel lets only the process group
// of the mounting program pass there. All others wait for the mount, in a sleep that nothing interrupts.
void leave_terminal() {
  ::setsid();
}

// Returns the /dev/fuse of the new mount. No copy of it stays here, or the mount would outlive its daemon.
Descriptor mounted(const std::string& mountpoint, const std::vector<std::string>& options) {
  const fuse_lowlevel_ops nothing{};
  const std::unique_ptr<fuse_session, SessionEnd> session(
      new_fuse_session(mountpoint, options, false, nothing, nullptr));
  mount_fuse_session(session.get(), mountpoint, options);
  raise_read_ahead(mountpoint);
  give_up_streams();
  return Descriptor(::dup(fuse_session_fd(session.get())));
}

ByteSpan bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> texts_of(const Message& question) {
  std::vector<std::string> texts;
  const std::string text = text_of(question.bytes);
  for (size_t at = 0; at < text.size(); at += texts.back().size() + 1) texts.emplace_back(text.c_str() + at);
  return texts;
}

// The work of the keeper process for its daemon.
class Keeper {
 public:
  Keeper(Channel channel, std::string log_file)
      : channel_(std::move(channel)), log_file_(std::move(log_file)) {}

  // Answers with 0, or an exit code and its message.
  void answer(const Message& question) {
    const std::vector<std::string> texts = texts_of(question);
    Descriptor opened;
    ExitCode code = kSuccess;
    std::string message;
    if (texts.empty()) return;
    try {
      switch (question.kind) {
        case kMount:
          opened = mounted(texts[0], {texts.begin() + 1, texts.end()});
          mountpoint_ = texts[0];
          mount_ = identity_of_mount(mountpoint_);
          leave_terminal();
          break;
        case kForget:
          mountpoint_.clear();
          break;
        case kLog:
          if (texts.size() == 2) ::syslog(texts[0][0] - '0', "%s", texts[1].c_str());
          break;
        case kOpenLog:  // no other file than the log
          if (!log_file_.empty())
            opened = Descriptor(::open(log_file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
          break;
        default:
          if (!unmount(question.kind == kUnmount)) code = kMountFailed;
      }
    } catch (const Failure& failure) {
      code = failure.code();
      message = failure.what();
    }
    channel_.send(static_cast<uint32_t>(code), bytes_of(message), opened.number());
  }

  void serve() {
    while (const std::optional<Message> question = channel_.receive(kMaxBytes)) answer(*question);
    unmount(true);  // the daemon has ended without unmounting
  }

 private:
  // Unmounts the keeper's own mount, and no other one in its place.
  bool unmount(bool with_files_open) {
    if (mountpoint_.empty() || identity_of_mount(mountpoint_) != mount_) return false;
    if (unmount_fuse(mountpoint_, with_files_open)) return false;
    mountpoint_.clear();
    return true;
  }

  Channel channel_;
  const std::string log_file_;
  std::string mountpoint_;  // empty: nothing to unmount
  MountIdentity mount_;
};

[[noreturn]] void keep(Channel channel, pid_t daemon, bool mounts, const std::string& log_file) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) ::signal(number, SIG_IGN);
#ifdef __linux__
  ::prctl(PR_SET_NAME, "plainfs-mounts", 0, 0, 0);
#endif
  if (!mounts) {
    give_up_streams();
    leave_terminal();
  }
  const std::string name = fmt::format("plainfs[{}]", daemon);  // like LOG_PID, but with the daemon's number
  ::openlog(name.c_str(), 0, LOG_USER);
  Keeper(std::move(channel), log_file).serve();
  ::_exit(0);
}

}  // namespace

MountKeeper::MountKeeper(bool mounts, const std::string& log_file) {
  const pid_t daemon = ::getpid();
  ChannelEnds ends = make_channel();
  process_ = ::fork();
  if (process_ < 0) throw Failure(kNotDaemonized, fmt::format("fork: {}", std::strerror(errno)));
  if (process_ == 0) {
    ends.ours = Descriptor();
    keep(Channel(std::move(ends.theirs), false), daemon, mounts, log_file);
  }
  channel_ = Channel(std::move(ends.ours), true);
}

MountKeeper::~MountKeeper() {
  channel_ = Channel();
  wait_for_end(process_);
}

std::optional<Message> MountKeeper::ask(uint32_t question, const std::string& text) {
  const MutexLock lock(asking_);
  if (!channel_.send(question, bytes_of(text + '\0'))) return std::nullopt;
  return channel_.receive(kMaxBytes);
}

Descriptor MountKeeper::mount(const std::string& mountpoint, const std::vector<std::string>& options) {
  std::string text = mountpoint;
  for (const std::string& option : options) text += '\0' + option;
  std::optional<Message> answer = ask(kMount, text);
  if (!answer) throw Failure(kMountFailed, mountpoint + ": the mounting process has ended");
  if (answer->kind != kSuccess) throw Failure(static_cast<ExitCode>(answer->kind), text_of(answer->bytes));
  return std::move(answer->descriptor);
}

bool MountKeeper::unmount(bool with_files_open) {
  const std::optional<Message> answer = ask(with_files_open ? kUnmount : kUnmountIfUnused, "all");
  return answer && answer->kind == kSuccess;
}

void MountKeeper::forget() {
  ask(kForget, "all");
}

Descriptor MountKeeper::open_log() {
  std::optional<Message> answer = ask(kOpenLog, "log");
  return answer ? std::move(answer->descriptor) : Descriptor();
}

void MountKeeper::log(int priority, const std::string& line) {
  ask(kLog, fmt::format("{}", priority) + '\0' + line);
}

}  // namespace plainfs
