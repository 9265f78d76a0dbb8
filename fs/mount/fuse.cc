#include "fs/mount/fuse.h"

#include <fuse_lowlevel.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cache/mutex.h"
#include "fs/command_line/exit_code.h"
#include "fs/mount/fuse_callbacks.h"
#include "fs/mount/fuse_connection.h"
#include "fs/mount/fuse_session.h"
#include "fs/mount/mount_keeper.h"
#include "fs/mount/mountpoint.h"
#include "fs/mounts/mount_table.h"

namespace plainfs {

namespace {

constexpr size_t kMaxFaults = 4096;
constexpr size_t kLongestReason = 4096;  // bytes; it may contain names from the store

std::string text_of(const Error& error) {
  return plainfs::reason(error).substr(0, kLongestReason);
}

}  // namespace

void Faults::remember(Inode inode, const Error& error) {
  if (error.code() == Errc::not_found) return;
  const MutexLock lock(mutex_);
  if (reasons_.size() >= kMaxFaults) reasons_.clear();
  reasons_[inode] = text_of(error);
}

void Faults::forget() {
  const MutexLock lock(mutex_);
  reasons_.clear();
}

std::optional<std::string> Faults::reason(Filesystem& filesystem, Inode inode) const {
  try {
    const mode_t mode = filesystem.status_so_far(inode).stat.st_mode;
    if (S_ISDIR(mode)) filesystem.list(inode);
    if (S_ISREG(mode)) filesystem.open(inode).view->known_size();
    if (const auto why = filesystem.why_no_store(inode)) return text_of(*why);
  } catch (const Error& error) {
    return text_of(error);
  }
  const MutexLock lock(mutex_);
  const auto known = reasons_.find(inode);
  return known == reasons_.end() ? std::nullopt : std::optional(known->second);
}

void Nodes::opened(NodeNumber node) {
  const MutexLock lock(mutex_);
  ++open_[node];
}

void Nodes::closed(NodeNumber node) {
  const MutexLock lock(mutex_);
  const auto found = open_.find(node);
  if (found != open_.end() && --found->second == 0) open_.erase(found);
}

std::vector<NodeNumber> Nodes::open_before(uint64_t opening) const {
  const MutexLock lock(mutex_);
  std::vector<NodeNumber> nodes;
  for (const auto& [node, handles] : open_)
    if (!is_of(node, opening)) nodes.push_back(node);
  return nodes;
}

namespace {

// Threads that may compute sizes. The serving threads answer everything that is known or takes no pass over a
// file.
constexpr size_t kMaxSizing = 8;

}  // namespace

FuseMount::FuseMount(Filesystem& filesystem, MountSettings settings)
    : filesystem_(filesystem),
      settings_(std::move(settings)),
      sizings_(
          kMaxSizing,
          [this](Inode file) {
            const Filesystem::Visit visit = filesystem_.visit();
            filesystem_.status(file);
          },
          [this] { return is_over(); }) {
  const fuse_lowlevel_ops operations = fuse_operations();
  const std::string& mountpoint = settings_.mountpoint;
  session_ = {new_fuse_session(mountpoint, settings_.mount_options, settings_.debug, operations, this),
              SessionDeleter{mountpoint, settings_.keeper, {}}};
  if (settings_.keeper) {
    // The session closes the descriptor.
    const int descriptor = settings_.keeper->mount(mountpoint, settings_.mount_options).release();
    mount_fuse_session(session_.get(), fmt::format("/dev/fd/{}", descriptor), settings_.mount_options);
  } else {
    mount_fuse_session(session_.get(), mountpoint, settings_.mount_options);
    session_.get_deleter().mount = identity_of_mount(mountpoint);
    raise_read_ahead(mountpoint);
  }
}

void FuseMount::SessionDeleter::operator()(fuse_session* session) const {
  if (!keeper) {
    if (identity_of_mount(mountpoint) == mount) fuse_session_unmount(session);
    fuse_session_destroy(session);
    return;
  }
  pollfd connection{fuse_session_fd(session), 0, 0};
  const bool has_ended = connection.fd >= 0 && ::poll(&connection, 1, 0) != 0;
  fuse_session_destroy(session);  // first, so that no process in the mount waits for an answer
  if (has_ended)
    keeper->forget();
  else
    keeper->unmount(true);
}

FuseMount::~FuseMount() = default;

void FuseMount::serve() {
  fuse_session* const session = session_.get();
  const int result = serve_with_threads(session);
  if (result < 0)
    throw Failure(kLoopFailed, fmt::format("{}: {}", settings_.mountpoint, std::strerror(-result)));
}

void FuseMount::stop() {
  is_stopped_.store(true, std::memory_order_relaxed);
  fuse_session_exit(session_.get());
}

int FuseMount::connection() const {
#ifdef __linux__
  return fuse_session_fd(session_.get());
#else
  return -1;
#endif
}

bool FuseMount::is_over() const {
  return is_stopped_.load(std::memory_order_relaxed) || fuse_session_exited(session_.get());
}

void FuseMount::invalidate() {
  faults_.forget();
  has_changed_.store(false, std::memory_order_relaxed);
  // Replies with sizes of the previous opening are complete after this, and no more are sent.
  { const WriterLock lock(replying_); }
  const auto forget_node = [&](NodeNumber node) {
    fuse_lowlevel_notify_inval_inode(session_.get(), node, 0, 0);
  };
  forget_node(kRootInode);
  // With the entry of a directory the kernel forgets the entries below it, including parts, which have no
  // names here.
  for (const Inodes::Named& known : filesystem_.named_inodes()) {
    if (is_over()) return;
    forget_node(known.inode);
    fuse_lowlevel_notify_inval_entry(session_.get(), known.parent, known.name.data(), known.name.size());
  }
  for (const NodeNumber node : nodes_.open_before(filesystem_.times_reopened())) forget_node(node);
}

std::string FuseMount::how_to_reopen() const {
  if (settings_.reopens_on_change) return "; the next open or listing reopens it";
  const std::string reload =
      is_descriptor(settings_.mountpoint) ? "" : fmt::format("plainfs reload {}, or ", settings_.mountpoint);
  return fmt::format("; to reopen it: {}kill -USR1 {}", reload, ::getpid());
}

bool FuseMount::unmount_if_unused() {
  return settings_.keeper ? settings_.keeper->unmount(false) : !unmount_fuse(settings_.mountpoint, false);
}

void FuseMount::unmount() {
  if (!is_over() && !unmount_if_unused()) unmount_fuse(settings_.mountpoint, true);
}

bool is_mounted_by_fuse(const std::string& path) {
  return is_of_fuse(what_is_mounted(path));
}

std::string fuse_library_version() {
  return fuse_pkgversion();
}

std::string missing_for_fuse() {
#ifdef __linux__  // on other systems only the library knows: macFUSE has no such device, FUSE-T none at all
  if (::access("/dev/fuse", F_OK) != 0)
    return "/dev/fuse is missing (in a container: --device /dev/fuse --cap-add SYS_ADMIN; otherwise: "
           "modprobe "
           "fuse)";
  if (::access("/dev/fuse", R_OK | W_OK) != 0 && ::geteuid() != 0)
    return "this user cannot use /dev/fuse (root can allow it: chmod 666 /dev/fuse; in a container: "
           "--device /dev/fuse)";
#endif
  return {};
}

}  // namespace plainfs
