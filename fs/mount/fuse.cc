#include "fs/mount/fuse.h"

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mount.h>
#else
extern char** environ;
#endif

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fs/exit_code.h"
#include "fs/mount/fuse_callbacks.h"
#include "fs/mount/fuse_connection.h"
#include "fs/mount/fuse_refused.h"
#include "fs/mount/mountpoint.h"
#include "fs/mount_table.h"

namespace plainfs {
namespace {

// Threads that may be sizing files; the others answer what is known or takes no pass over a file.
constexpr size_t kMostSizing = kServingThreads / 2;

// libfuse's last complaint, for the one line that the user gets.
std::string& last_complaint() {
  static thread_local std::string line;
  return line;
}

void keep_complaint(fuse_log_level, const char* format, va_list arguments) {
  char line[512];
  std::vsnprintf(line, sizeof line, format, arguments);
  std::string text = line;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.rfind("fuse: ", 0) == 0) text.erase(0, 6);
  last_complaint() = text;
}

// why: where libfuse has said nothing.
Failure failure(ExitCode code, const std::string& mountpoint, const std::string& why,
                const std::string& and_more = {}) {
  const std::string reason = last_complaint().empty() ? why : last_complaint();
  return Failure(code, fmt::format("{}: {}{}", mountpoint, reason, and_more));
}

}  // namespace

FuseMount::FuseMount(Filesystem& filesystem, MountSettings settings)
    : filesystem_(filesystem),
      settings_(std::move(settings)),
      sizings_(
          kMostSizing, [this](Inode file) { filesystem_.status(file); }, [this] { return is_over(); }) {
  std::vector<std::string> words{"plainfs"};
  for (const std::string& option : settings_.mount_options) {
    std::string escaped;
    for (const char c : option) {
      if (c == ',' || c == '\\') escaped += '\\';
      escaped += c;
    }
    words.push_back("-o" + escaped);
  }
  if (settings_.debug) words.emplace_back("-odebug");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(pointers.size()), pointers.data());
  const fuse_lowlevel_ops operations = fuse_operations();
  if (!settings_.debug) fuse_set_log_func(keep_complaint);
  last_complaint().clear();
  session_.reset(fuse_session_new(&arguments, &operations, sizeof operations, this));
  fuse_opt_free_args(&arguments);
  if (!session_) throw failure(kNoSession, settings_.mountpoint, "cannot set up FUSE");
  if (fuse_session_mount(session_.get(), settings_.mountpoint.c_str()) != 0) {
    const std::string reason = why_fuse_is_refused(
        std::ranges::find(settings_.mount_options, "allow_other") != settings_.mount_options.end());
    throw failure(kMountFailed, settings_.mountpoint, "cannot mount",
                  fmt::format("{}{}; {}", reason.empty() ? "" : ": ", reason, kWithoutFuse));
  }
  fuse_set_log_func(nullptr);
  raise_read_ahead(settings_.mountpoint);
}

void FuseMount::SessionDeleter::operator()(fuse_session* session) const {
  fuse_session_unmount(session);
  fuse_session_destroy(session);
}

FuseMount::~FuseMount() = default;

void FuseMount::serve() {
  fuse_session* const session = session_.get();
  const int result = settings_.single_threaded ? fuse_session_loop(session) : serve_with_threads(session);
  if (result < 0)
    throw Failure(kLoopFailed, fmt::format("{}: {}", settings_.mountpoint, std::strerror(-result)));
}

void FuseMount::stop() {
  is_stopped_.store(true, std::memory_order_relaxed);
  fuse_session_exit(session_.get());
}

bool FuseMount::is_over() const {
  return is_stopped_.load(std::memory_order_relaxed) || fuse_session_exited(session_.get());
}

void FuseMount::invalidate() {
  faults_.forget();
  has_changed_.store(false, std::memory_order_relaxed);
  // Who has been told a size of the opening before has it by now; nobody is told one any more.
  { const std::unique_lock lock(replying_); }
  const auto forget_node = [&](NodeNumber node) {
    fuse_lowlevel_notify_inval_inode(session_.get(), node, 0, 0);
  };
  const Inode count = filesystem_.count();
  for (Inode inode = 1; inode <= count && !is_over(); ++inode) {
    forget_node(inode);
    const std::string name = filesystem_.name(inode);
    if (inode != kRootInode)
      fuse_lowlevel_notify_inval_entry(session_.get(), filesystem_.parent(inode), name.data(), name.size());
  }
  for (const NodeNumber node : nodes_.open_before(filesystem_.times_reopened())) forget_node(node);
}

std::string FuseMount::way_back() const {
  if (settings_.reopens_on_change) return "; the next open or listing shows it anew";
  const std::string reload =
      is_descriptor(settings_.mountpoint) ? "" : fmt::format("plainfs reload {}, or ", settings_.mountpoint);
  return fmt::format("; to show it anew: {}kill -USR1 {}", reload, ::getpid());
}

bool FuseMount::unmount_if_unused() {
#ifdef __linux__
  if (::geteuid() == 0) return ::umount2(settings_.mountpoint.c_str(), UMOUNT_NOFOLLOW) == 0;
  const char* program = "fusermount3";
  std::vector<const char*> words{program, "-u", "-q", settings_.mountpoint.c_str(), nullptr};
#else
  const char* program = "umount";
  std::vector<const char*> words{program, settings_.mountpoint.c_str(), nullptr};
#endif
  pid_t child = 0;
  if (::posix_spawnp(&child, program, nullptr, nullptr, const_cast<char**>(words.data()), environ) != 0)
    return false;
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

bool is_mounted_by_fuse(const std::string& path) {
  return what_is_mounted(path).type.rfind("fuse", 0) == 0;
}

std::string fuse_library_version() {
  return fuse_pkgversion();
}

std::string missing_for_fuse() {
#ifdef __linux__  // elsewhere the library alone knows: macFUSE has no such device, FUSE-T none at all
  if (::access("/dev/fuse", F_OK) != 0)
    return "/dev/fuse is missing (in a container: --device /dev/fuse --cap-add SYS_ADMIN; else: modprobe "
           "fuse)";
  if (::access("/dev/fuse", R_OK | W_OK) != 0 && ::geteuid() != 0)
    return "/dev/fuse may not be used by this user (root can allow it: chmod 666 /dev/fuse; in a container: "
           "--device /dev/fuse)";
#endif
  return {};
}

}  // namespace plainfs
