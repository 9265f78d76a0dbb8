#include "fs/mount/mount_keeper.h"

#define FUSE_USE_VERSION 312
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mount.h>
#include <sys/prctl.h>
#else
extern char** environ;
#endif

#include <cerrno>
#include <cstring>
#include <memory>

#include "cache/mutex.h"
#include "formats/core/base/channel.h"
#include "fs/exit_code.h"
#include "fs/mount/fuse_connection.h"
#include "fs/mount/fuse_session.h"

namespace plainfs {
namespace {

enum Question : uint32_t { kMount, kUnmount, kUnmountIfUnused };

constexpr uint64_t kMostBytes = 1 << 20;  // of a question: paths and options

bool run(std::vector<const char*> words) {
  words.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawnp(&child, words[0], nullptr, nullptr, const_cast<char**>(words.data()), environ) != 0)
    return false;
  int status = -1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

struct SessionEnd {
  void operator()(fuse_session* session) const { fuse_session_destroy(session); }
};

// Of who started the daemon, who waits for their end.
void give_up_streams() {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (::chdir("/") == 0 && nothing >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  }
  ::close(nothing);
}

// The /dev/fuse of the new mount; no other copy of it stays here, or the mount would outlive its daemon.
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

// Answers with 0, or an exit code and the message that goes with it.
void answer(Channel& channel, const Message& question) {
  std::vector<std::string> words;
  const std::string text = text_of(question.bytes);
  for (size_t at = 0; at < text.size(); at += words.back().size() + 1) words.emplace_back(text.c_str() + at);
  Descriptor fuse;
  ExitCode code = kSuccess;
  std::string message;
  if (words.empty()) return;
  try {
    if (question.kind == kMount)
      fuse = mounted(words[0], {words.begin() + 1, words.end()});
    else if (!unmount_fuse(words[0], question.kind == kUnmount))
      code = kMountFailed;
  } catch (const Failure& failure) {
    code = failure.code();
    message = failure.what();
  }
  channel.send(static_cast<uint32_t>(code), bytes_of(message), fuse.number());
}

[[noreturn]] void keep(Channel channel) {
  ::setsid();  // what the terminal says is for the daemon
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) ::signal(number, SIG_IGN);
#ifdef __linux__
  ::prctl(PR_SET_NAME, "plainfs-mounts", 0, 0, 0);
#endif
  while (const std::optional<Message> question = channel.receive(kMostBytes)) answer(channel, *question);
  ::_exit(0);
}

}  // namespace

bool unmount_fuse(const std::string& mountpoint, bool with_files_open) {
  const char* const path = mountpoint.c_str();
#ifdef __linux__
  const int flags = UMOUNT_NOFOLLOW | (with_files_open ? MNT_DETACH : 0);
  if (::umount2(path, flags) == 0) return true;
  if (::geteuid() == 0) return false;
  if (with_files_open) return run({"fusermount3", "-u", "-q", "-z", "--", path});
  return run({"fusermount3", "-u", "-q", "--", path});
#else
  return with_files_open ? run({"umount", "-f", path}) : run({"umount", path});
#endif
}

MountKeeper::MountKeeper() {
  ChannelEnds ends = make_channel();
  process_ = ::fork();
  if (process_ < 0) throw Failure(kNotDaemonized, fmt::format("fork: {}", std::strerror(errno)));
  if (process_ == 0) {
    ends.ours = Descriptor();
    keep(Channel(std::move(ends.theirs), false));
  }
  channel_ = Channel(std::move(ends.ours), true);
}

MountKeeper::~MountKeeper() {
  channel_ = Channel();
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<Message> MountKeeper::ask(uint32_t question, const std::string& text) {
  const MutexLock lock(asking_);
  if (!channel_.send(question, bytes_of(text + '\0'))) return std::nullopt;
  return channel_.receive(kMostBytes);
}

Descriptor MountKeeper::mount(const std::string& mountpoint, const std::vector<std::string>& options) {
  std::string text = mountpoint;
  for (const std::string& option : options) text += '\0' + option;
  std::optional<Message> answer = ask(kMount, text);
  if (!answer) throw Failure(kMountFailed, mountpoint + ": the process that mounts has ended");
  if (answer->kind != kSuccess) throw Failure(static_cast<ExitCode>(answer->kind), text_of(answer->bytes));
  return std::move(answer->descriptor);
}

bool MountKeeper::unmount(const std::string& mountpoint, bool with_files_open) {
  const std::optional<Message> answer = ask(with_files_open ? kUnmount : kUnmountIfUnused, mountpoint);
  return answer && answer->kind == kSuccess;
}

}  // namespace plainfs
