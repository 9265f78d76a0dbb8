#include "fs/mount/fuse_callbacks.h"

#include <fuse_lowlevel.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "fs/mount/fuse.h"

namespace plainfs {

namespace {

int64_t tick() {
  timespec now{};
#ifdef CLOCK_MONOTONIC_COARSE
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  now.tv_nsec -= now.tv_nsec % 4'000'000;
#endif
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

constexpr uint64_t bit(int signal) {
  return uint64_t{1} << (signal - 1);
}

// Signals by which users and programs end a process, whether it handles them or not.
constexpr uint64_t kEnding = bit(SIGKILL) | bit(SIGHUP) | bit(SIGINT) | bit(SIGQUIT) | bit(SIGTERM);

// Returns whether a signal that ends the thread's process, or is meant to, is pending while the thread waits
// for its reply. Returns true if that cannot be determined.
bool is_being_ended(pid_t thread) try {
  std::ifstream status("/proc/" + std::to_string(thread) + "/status");
  uint64_t pending = 0, caught = 0, ignored = 0, blocked = 0;
  bool any = false;
  for (std::string line; std::getline(status, line);) {
    const auto mask = [&] { return std::strtoull(line.c_str() + 7, nullptr, 16); };
    if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:")) {
      pending |= mask();
      any = true;
    } else if (line.starts_with("SigBlk:")) {
      blocked = mask();
    } else if (line.starts_with("SigIgn:")) {
      ignored = mask();
    } else if (line.starts_with("SigCgt:")) {
      caught = mask();
    }
  }
  const uint64_t ends = pending & ~blocked & ~ignored & (kEnding | ~caught);
  // Unhandled signals end the process, except for these.
  const uint64_t harmless = bit(SIGCHLD) | bit(SIGCONT) | bit(SIGURG) | bit(SIGWINCH) | bit(SIGTSTP) |
                            bit(SIGTTIN) | bit(SIGTTOU) | bit(SIGSTOP);
  return !any || (ends & ~harmless) != 0;
} catch (const std::bad_alloc&) {
  return false;  // it is asked again
}

}  // namespace

bool is_abandoned(fuse_req* request) noexcept {
  return fuse_req_interrupted(request) && is_being_ended(fuse_req_ctx(request)->pid);
}

FuseRequest::FuseRequest(fuse_req* request, const FuseMount& mount)
    : request_(request), mount_(mount), looked_at_(tick()) {}

bool FuseRequest::cancelled() const {
  if (mount_.is_over()) return true;
  const int64_t now = tick();
  if (looked_at_.exchange(now, std::memory_order_relaxed) != now &&
      !is_abandoned_.load(std::memory_order_relaxed))
    is_abandoned_.store(is_abandoned(request_), std::memory_order_relaxed);
  return is_abandoned_.load(std::memory_order_relaxed);
}

namespace {

constexpr size_t kMaxParts = 1000;  // of one reply; IOV_MAX is 1024 with the header

// Returns S_IFDIR and so on; 0 if it is not known yet.
mode_t type_of(FileKind kind) {
  switch (kind) {
    case FileKind::directory:
      return S_IFDIR;
    case FileKind::file:
      return S_IFREG;
    case FileKind::link:
      return S_IFLNK;
    case FileKind::store:
      return 0;
  }
  return 0;
}

}  // namespace

namespace {

// add(room, name, status, entry, next) writes one entry into the room, if it fits, and returns its size.
// entry: null for "." and "..". next: the number of the following entry.
template <class Add>
bool reply_entries(fuse_req_t request, const Listing& listing, const ListedDirectory& directory, off_t offset,
                   size_t size, const Add& add) {
  std::vector<char> buffer(size);
  size_t used = 0;
  const auto fits = [&](const char* name, Inode inode, mode_t type, const Listing::Entry* entry, off_t next) {
    struct stat status {};
    status.st_ino = inode;
    status.st_mode = type;
    const std::span<char> room = std::span(buffer).subspan(used);
    const size_t wanted = add(room, name, status, entry, next);
    if (wanted > room.size()) return false;
    used += wanted;
    return true;
  };
  bool has_room = true;
  if (offset < 1) has_room = fits(".", directory.inode, S_IFDIR, nullptr, 1);
  if (has_room && offset < 2) has_room = fits("..", directory.parent, S_IFDIR, nullptr, 2);
  for (size_t i = std::max<off_t>(offset, 2) - 2; has_room && i < listing.entries().size(); ++i) {
    const Listing::Entry entry = listing.entries()[i];
    has_room = fits(entry.name.c_str(), entry.inode, type_of(entry.kind), &entry, static_cast<off_t>(i) + 3);
  }
  return fuse_reply_buf(request, buffer.data(), used) == 0;
}

}  // namespace

void reply_listing(fuse_req_t request, const Listing& listing, const ListedDirectory& directory, off_t offset,
                   size_t size) {
  reply_entries(request, listing, directory, offset, size,
                [request](std::span<char> room, const char* name, const struct stat& status,
                          const Listing::Entry*, off_t next) {
                  return fuse_add_direntry(request, room.data(), room.size(), name, &status, next);
                });
}

bool reply_described(fuse_req_t request, const Listing& listing, const ListedDirectory& directory,
                     off_t offset, size_t size, const DescribeEntry& describe) {
  return reply_entries(request, listing, directory, offset, size,
                       [request, &describe](std::span<char> room, const char* name, const struct stat& status,
                                            const Listing::Entry* entry, off_t next) {
                         fuse_entry_param plain{};  // no node: the kernel only takes the name
                         plain.attr = status;
                         const size_t wanted =
                             fuse_add_direntry_plus(request, nullptr, 0, name, &plain, next);
                         const bool is_put = entry && wanted <= room.size();
                         const fuse_entry_param shown = is_put ? describe(*entry).value_or(plain) : plain;
                         return fuse_add_direntry_plus(request, room.data(), room.size(), name, &shown, next);
                       });
}

void reply_slices(fuse_req_t request, const Slices& slices) {
  if (slices.parts.size() <= kMaxParts) {
    fuse_reply_iov(request, slices.parts.data(), static_cast<int>(slices.parts.size()));
    return;
  }
  Bytes joined(slices.size());
  slices.copy_to(joined);
  fuse_reply_buf(request, reinterpret_cast<const char*>(joined.data()), joined.size());
}

void reply_statfs(fuse_req_t request) {
  struct statvfs status {};
  status.f_bsize = status.f_frsize = 4096;
  status.f_namemax = 255;
  status.f_flag = ST_RDONLY;
  fuse_reply_statfs(request, &status);
}

void reply_attribute(fuse_req_t request, std::string_view value, size_t room) {
  if (room == 0)
    fuse_reply_xattr(request, value.size());
  else if (value.size() > room)
    fuse_reply_err(request, ERANGE);
  else
    fuse_reply_buf(request, value.data(), value.size());
}

void refuse_writes(fuse_lowlevel_ops& ops) {
  constexpr auto refuse = [](fuse_req_t request, auto...) { fuse_reply_err(request, EROFS); };
  ops.setattr = refuse;
  ops.mknod = refuse;
  ops.mkdir = refuse;
  ops.unlink = refuse;
  ops.rmdir = refuse;
  ops.symlink = refuse;
  ops.rename = refuse;
  ops.link = refuse;
  ops.write = refuse;
  ops.setxattr = refuse;
  ops.removexattr = refuse;
  ops.create = refuse;
  ops.fallocate = refuse;
}

}  // namespace plainfs
