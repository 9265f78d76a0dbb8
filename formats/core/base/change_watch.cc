#include "formats/core/base/change_watch.h"

#ifdef __linux__
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <set>
#include <thread>
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
constexpr uint32_t kEvents = kWriteEvents | IN_ATTRIB;

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

bool is_same_time(const timespec& one, const timespec& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

// Returns whether the latest change set the access time to the current time. `touch -a` does this, and opens
// the file for writing. A writer that restores the times sets both to earlier ones.
bool is_access_latest(const struct stat& status) {
  return is_same_time(status.st_atim, status.st_ctim);
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

// The thread that reads the reports of all watches of this process as they arrive. Without it, for want of a
// thread or in a process that was forked, reports are read when they are asked for.
class ReportReader {
 public:
  static ReportReader& of_process() {
    static ReportReader* const reader = new ReportReader;  // used until the process ends
    return *reader;
  }

  void add(ChangeWatch& watch, int events) {
    const MutexLock lock(mutex_);
    if (!begin()) return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &watch;
    if (::epoll_ctl(arrivals_.number(), EPOLL_CTL_ADD, events, &event) == 0) watches_.insert(&watch);
  }

  // The watch is not used any more once this returns.
  void remove(ChangeWatch& watch, int events) noexcept {
    const MutexLock lock(mutex_);
    if (watches_.erase(&watch) != 0) ::epoll_ctl(arrivals_.number(), EPOLL_CTL_DEL, events, nullptr);
  }

 private:
  // Starts the thread. Returns whether there is one.
  bool begin() REQUIRES(mutex_) {
    if (arrivals_.number() >= 0) return true;
    Descriptor arrivals(::epoll_create1(EPOLL_CLOEXEC));
    if (arrivals.number() < 0) return false;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are left to other threads
    try {
      std::thread([this, number = arrivals.number()] { run(number); }).detach();
      arrivals_ = std::move(arrivals);
    } catch (const std::exception&) {
      // see above
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return arrivals_.number() >= 0;
  }

  void run(int arrivals) {
    pthread_setname_np(pthread_self(), kThreadName);
    for (;;) {
      epoll_event event{};
      if (::epoll_wait(arrivals, &event, 1, -1) != 1) continue;
      {
        const MutexLock lock(mutex_);
        auto* const watch = static_cast<ChangeWatch*>(event.data.ptr);
        if (watches_.contains(watch)) watch->try_read_events();
      }
      std::this_thread::yield();  // to the holder of the mutex of that watch
    }
  }

  static constexpr const char* kThreadName = "plainfs-changes";

  // Taken after the mutex of a watch, so its holder must not wait for that of a watch.
  Mutex mutex_;
  Descriptor arrivals_ GUARDED_BY(mutex_);
  std::set<ChangeWatch*> watches_ GUARDED_BY(mutex_);
};

void ChangeWatch::watch(int descriptor, const std::string& path) noexcept try {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const FileKey key{status.st_dev, status.st_ino};
  const MutexLock lock(mutex_);
  if (is_full_ || files_.contains(key)) return;
  if (files_.size() >= kMostFiles) {
    is_full_ = true;
    return;
  }
  files_.emplace(key, Watched());
  watch_new(descriptor, path);
} catch (const std::exception&) {
  return;  // the state of the file is unknown
}

void ChangeWatch::watch_new(int descriptor, const std::string& path) {
  if (!is_on_local_file_system(descriptor)) return;
  if (events_.number() < 0) {
    events_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (events_.number() >= 0) ReportReader::of_process().add(*this, events_.number());
  }
  char opened[32];
  std::snprintf(opened, sizeof opened, "/proc/self/fd/%d", descriptor);
  const int number = events_.number() < 0 ? -1 : ::inotify_add_watch(events_.number(), opened, kEvents);
  struct stat status {};
  if (number < 0 || ::fstat(descriptor, &status) != 0) {
    is_full_ = true;
    return;
  }
  const FileKey key{status.st_dev, status.st_ino};
  watches_[number] = key;
  files_[key] = {State::kUnwritten, path, status.st_size, modified_time(status), changed_time(status)};
}

// Returns whether the latest change set the access time only, and is another one than was found before.
bool ChangeWatch::finds_new_access(const FileKey& key, Watched& file) const {
  struct stat now {};
  if (!look_(file.path, now) || FileKey{now.st_dev, now.st_ino} != key || now.st_size != file.size ||
      !is_same_time(modified_time(now), file.modified) || !is_access_latest(now) ||
      is_same_time(changed_time(now), file.changed))
    return false;
  file.changed = changed_time(now);
  return true;
}

void ChangeWatch::see_event(uint32_t events, const FileKey& key) {
  Watched& file = files_[key];
  if ((events & IN_MODIFY) != 0 || file.state == State::kClosed) {
    file.state = State::kWritten;
  } else if ((events & IN_CLOSE_WRITE) != 0 && file.state == State::kUnwritten) {
    closed_.insert(key);
    file.state = State::kClosed;
  }
  // The file is gone, and its inode may be reused for another file.
  if ((events & IN_IGNORED) != 0) file.state = State::kUnknown;
}

void ChangeWatch::read_arrived_events() {
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
      see_event(event.mask, known->second);
      if ((event.mask & IN_IGNORED) != 0) watches_.erase(known);
    }
  }
}

// A closed writer may have written through a mapping, and set the time of modification back before or after
// that. The access time explains the closing, if nothing else was reported until it was read.
void ChangeWatch::read_events() {
  read_arrived_events();
  while (!closed_.empty()) {
    const std::set<FileKey> closed = std::exchange(closed_, {});
    std::set<FileKey> explained;
    for (const FileKey& key : closed)
      if (finds_new_access(key, files_[key])) explained.insert(key);
    read_arrived_events();
    for (const FileKey& key : closed) {
      Watched& file = files_[key];
      if (file.state == State::kClosed)
        file.state = explained.contains(key) ? State::kUnwritten : State::kWritten;
    }
  }
}

void ChangeWatch::try_read_events() noexcept try {
  if (!mutex_.try_lock()) return;
  const MutexLock lock(mutex_, std::adopt_lock);
  if (events_.number() >= 0) read_events();
} catch (const std::exception&) {
  has_lost_events_ = true;
}

void ChangeWatch::clear() noexcept {
  Descriptor closed;  // closed after the lock
  const MutexLock lock(mutex_);
  if (events_.number() >= 0) ReportReader::of_process().remove(*this, events_.number());
  closed = std::move(events_);
  is_full_ = has_lost_events_ = false;
  files_.clear();
  watches_.clear();
  closed_.clear();
}

ChangeWatch::Writes ChangeWatch::writes_to(const struct stat& status) noexcept try {
  const MutexLock lock(mutex_);
  if (events_.number() < 0) return Writes::kUnknown;
  read_events();
  const auto known = files_.find({status.st_dev, status.st_ino});
  if (known == files_.end()) return Writes::kUnknown;
  if (known->second.state == State::kUnknown) return Writes::kUnknown;
  if (known->second.state == State::kWritten) return Writes::kSome;
  return has_lost_events_ ? Writes::kUnknown : Writes::kNone;
} catch (const std::exception&) {
  return Writes::kUnknown;
}
#else
void ChangeWatch::watch(int, const std::string&) noexcept {}

void ChangeWatch::clear() noexcept {}

ChangeWatch::Writes ChangeWatch::writes_to(const struct stat&) noexcept {
  return Writes::kUnknown;
}
#endif

}  // namespace plainfs
