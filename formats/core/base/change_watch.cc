#include "formats/core/base/change_watch.h"

#ifdef __linux__
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "formats/core/base/file.h"
#include "formats/core/base/modified_time.h"

namespace plainfs {

uint64_t metadata_mark(const struct stat& status) {
  const timespec changed = changed_time(status);
  uint64_t time = mixed(1, static_cast<uint64_t>(changed.tv_sec));
  time = mixed(time, static_cast<uint64_t>(changed.tv_nsec));
  uint64_t rest = mixed(1, status.st_mode);
  for (const uint64_t value : {uint64_t{status.st_uid}, uint64_t{status.st_gid}, uint64_t{status.st_nlink}})
    rest = mixed(rest, value);
  return time << 12 | rest >> 52;
}

#ifdef __linux__
namespace {

// A write through a mapping is reported when the writer closes the file.
constexpr uint32_t kWriteEvents = IN_MODIFY | IN_CLOSE_WRITE;

// File systems that no other machine writes to, by statfs(2). On other file systems only this machine's
// writes are reported.
constexpr uint64_t kLocalFileSystems[] = {
    0xef53,      // ext2, ext3, ext4
    0x58465342,  // XFS
    0x9123683e,  // Btrfs
    0x01021994,  // tmpfs
    0x794c7630,  // overlayfs
    0xf2f52010,  // F2FS
    0x2fc12fc1,  // ZFS
    0xca451a4e,  // bcachefs
    0x858458f6,  // ramfs
    0x3153464a,  // JFS
    0x52654973,  // ReiserFS
    0x4d44,      // FAT
    0x2011bab0,  // exFAT
};

// Returns whether the latest change set the access time to the current time. `touch -a` does this, and opens
// the file for writing. A writer that restores the times sets both to earlier ones.
bool is_access_latest(const struct stat& status) {
  return status.st_atim.tv_sec == status.st_ctim.tv_sec && status.st_atim.tv_nsec == status.st_ctim.tv_nsec;
}

bool is_on_local_file_system(int descriptor) {
  struct statfs status {};
  if (::fstatfs(descriptor, &status) != 0) return false;
  const auto type = static_cast<uint32_t>(status.f_type);
  for (const uint64_t local : kLocalFileSystems)
    if (type == local) return true;
  return false;
}

}  // namespace

void ChangeWatch::watch(int descriptor) noexcept try {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const FileKey key{status.st_dev, status.st_ino};
  const MutexLock lock(mutex_);
  if (is_full_ || files_.contains(key)) return;
  if (files_.size() >= kMostFiles) {
    is_full_ = true;
    return;
  }
  files_.emplace(key, State::kUnknown);
  watch_new(descriptor);
} catch (const std::exception&) {
  return;  // the state of the file is unknown
}

void ChangeWatch::watch_new(int descriptor) {
  if (!is_on_local_file_system(descriptor)) return;
  if (events_.number() < 0) events_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  const int number = events_.number() < 0 ? -1 : ::inotify_add_watch(events_.number(), path, kWriteEvents);
  struct stat status {};
  if (number < 0 || ::fstat(descriptor, &status) != 0) {
    is_full_ = true;
    return;
  }
  const FileKey key{status.st_dev, status.st_ino};
  watches_[number] = key;
  files_[key] = State::kUnwritten;
}

void ChangeWatch::read_events() {
  alignas(inotify_event) char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(events_.number(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer + at, sizeof event);
      at += static_cast<ssize_t>(sizeof event) + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) has_lost_events_ = true;
      const auto known = watches_.find(event.wd);
      if (known == watches_.end()) continue;
      State& state = files_[known->second];
      if ((event.mask & kWriteEvents) == IN_CLOSE_WRITE && state == State::kUnwritten)
        state = State::kClosed;
      else if ((event.mask & kWriteEvents) != 0)
        state = State::kWritten;
      // The file is gone, and its inode may be reused for another file.
      if ((event.mask & IN_IGNORED) == 0) continue;
      files_[known->second] = State::kUnknown;
      watches_.erase(known);
    }
  }
}

void ChangeWatch::clear() noexcept {
  Descriptor closed;  // closed after the lock
  const MutexLock lock(mutex_);
  closed = std::move(events_);
  is_full_ = has_lost_events_ = false;
  files_.clear();
  watches_.clear();
}

ChangeWatch::Writes ChangeWatch::writes_to(const struct stat& status) noexcept try {
  const MutexLock lock(mutex_);
  if (events_.number() < 0) return Writes::kUnknown;
  read_events();
  const auto known = files_.find({status.st_dev, status.st_ino});
  if (known == files_.end() || known->second == State::kUnknown) return Writes::kUnknown;
  if (known->second == State::kClosed && is_access_latest(status)) known->second = State::kUnwritten;
  if (known->second != State::kUnwritten) return Writes::kSome;
  return has_lost_events_ ? Writes::kUnknown : Writes::kNone;
} catch (const std::exception&) {
  return Writes::kUnknown;
}
#else
void ChangeWatch::watch(int) noexcept {}

void ChangeWatch::clear() noexcept {}

ChangeWatch::Writes ChangeWatch::writes_to(const struct stat&) noexcept {
  return Writes::kUnknown;
}
#endif

}  // namespace plainfs
