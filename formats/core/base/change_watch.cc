#include "formats/core/base/change_watch.h"

#ifdef __linux__
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>
#endif

#include <atomic>
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
// A new access time is reported as an access.
constexpr uint32_t kReadEvents = IN_OPEN | IN_ACCESS | IN_CLOSE_NOWRITE;

constexpr size_t kMaxToNote = 64;              // access times at once
constexpr uint64_t kOpeningsPerReading = 256;  // so that reports of reads do not fill the system's queue
constexpr int kMaxWatchTries = 100;
constexpr uint8_t kMaxWaits = 6;  // shorter than all short naps

// While there are only reads, reports are left to accumulate for so long.
constexpr int kPromptReadings = 8;
constexpr useconds_t kNap = 10'000;
// Until the system's clock of files has moved on.
constexpr int kMaxNaps = 8;
constexpr useconds_t kShortNap = 4'000;

// With relatime, a read sets an access time that is a day old.
constexpr time_t kMaxAge = 23 * 3600;

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
  return is_same_time(status.st_atim, status.st_ctim);
}

// Returns whether reads leave the access time alone, by the rule of relatime.
bool is_access_late(const struct stat& status) {
  return is_later(status.st_atim, status.st_ctim) && is_later(status.st_atim, status.st_mtim) &&
         !is_later(status.st_atim, file_time()) && status.st_atim.tv_sec + kMaxAge > file_time().tv_sec;
}

std::atomic<int> sets{0};  // that watch files; relaxed: only the number counts

bool take_set() {
  if (sets.fetch_add(1, std::memory_order_relaxed) < ChangeWatch::kMaxSets) return true;
  sets.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

void give_set_back() {
  sets.fetch_sub(1, std::memory_order_relaxed);
}

bool is_local(const struct statfs& status) {
  const auto type = static_cast<uint32_t>(status.f_type);
  for (const uint64_t local : kLocalFileSystems)
    if (type == local) return true;
  return false;
}

}  // namespace

// The thread that reads the reports of all watches of this process as they arrive. Without it, for want of a
// thread or in a process that was forked, reports are read when they are asked for. A process that was forked
// has no such thread, and shares the descriptor with the one that has. It may have been forked while the
// thread held the mutex.
class ReportReader {
 public:
  static ReportReader& of_process() {
    static ReportReader* const reader = new ReportReader;  // used until the process ends
    return *reader;
  }

  void add(ChangeWatch& watch, int events) {
    if (was_forked()) return;
    const MutexLock lock(mutex_);
    if (!begin()) return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &watch;
    if (::epoll_ctl(arrivals_.number(), EPOLL_CTL_ADD, events, &event) == 0) watches_.insert(&watch);
  }

  // The watch is not used any more once this returns.
  void remove(ChangeWatch& watch, int events) noexcept {
    if (was_forked()) return;
    const MutexLock lock(mutex_);
    if (watches_.erase(&watch) != 0) ::epoll_ctl(arrivals_.number(), EPOLL_CTL_DEL, events, nullptr);
  }

 private:
  // Returns whether the thread, if there is one, is that of another process.
  bool was_forked() const {
    const pid_t process = process_;
    return process != 0 && process != ::getpid();
  }

  // Starts the thread. Returns whether there is one.
  bool begin() REQUIRES(mutex_) {
    if (arrivals_.number() >= 0) return true;
    process_ = ::getpid();
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
    int readings = 0;  // in a row with reports of reads only
    for (;;) {
      epoll_event event{};
      if (::epoll_wait(arrivals, &event, 1, -1) != 1) continue;
      auto* const watch = static_cast<ChangeWatch*>(event.data.ptr);
      ChangeWatch::Arrived arrived = read_of(watch);
      for (int nap = 0; nap < kMaxNaps && arrived == ChangeWatch::Arrived::kBusy; ++nap) {
        ::usleep(kShortNap);
        arrived = read_of(watch);
      }
      readings = arrived == ChangeWatch::Arrived::kReads ? readings + 1 : 0;
      if (readings > kPromptReadings) ::usleep(kNap);
    }
  }

  ChangeWatch::Arrived read_of(ChangeWatch* watch) {
    const MutexLock lock(mutex_);
    return watches_.contains(watch) ? watch->try_read_events() : ChangeWatch::Arrived::kOthers;
  }

  static constexpr const char* kThreadName = "plainfs-changes";

  std::atomic<pid_t> process_{0};  // that starts the thread; 0: none so far

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
  if (events_.number() >= 0 && ++openings_ % kOpeningsPerReading == 0) read_arrived_events();
  if (is_full_ || files_.contains(key)) return;
  if (files_.size() >= kMaxFiles) {
    is_full_ = true;
    return;
  }
  files_.emplace(key, Watched());
  watch_new(descriptor, path);
} catch (const std::exception&) {
  return;  // the state of the file is unknown
}

void ChangeWatch::watch_new(int descriptor, const std::string& path) {
  struct statfs system {};
  if (::fstatfs(descriptor, &system) != 0 || !is_local(system)) return;
  if (events_.number() < 0 && take_set()) {
    events_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (events_.number() < 0) give_set_back();
    if (events_.number() >= 0) ReportReader::of_process().add(*this, events_.number());
  }
  char opened[32];
  std::snprintf(opened, sizeof opened, "/proc/self/fd/%d", descriptor);
  const bool has_no_access = (system.f_flags & ST_NOATIME) != 0;
  const bool leaves_access = has_no_access || (system.f_flags & ST_RELATIME) != 0;
  const uint32_t events = leaves_access ? kEvents | kReadEvents : kEvents;
  const int number = events_.number() < 0 ? -1 : ::inotify_add_watch(events_.number(), opened, events);
  struct stat status {};
  if (number < 0 || ::fstat(descriptor, &status) != 0) {
    is_full_ = true;
    return;
  }
  const FileKey key{status.st_dev, status.st_ino};
  watches_[number] = key;
  Watched& file = files_[key];
  file.state = State::kUnwritten;
  file.path = path;
  file.size = status.st_size;
  file.modified = modified_time(status);
  file.changed = changed_time(status);
  file.has_no_access = has_no_access;
  file.leaves_access = leaves_access;
  if (has_no_access || (leaves_access && is_access_late(status))) {
    file.access.noted = status.st_atim;
    file.access.is_noted = true;
  } else {
    plan_note(key, file);
  }
}

void ChangeWatch::see_access(uint32_t events, Access& access) {
  if ((events & IN_OPEN) != 0) {
    access.step = Access::Step::kOpened;
    ++access.openings;
  } else if ((events & IN_ACCESS) != 0) {
    const bool may_be_read = access.step == Access::Step::kNone || access.step == Access::Step::kMayBeOpen;
    if (may_be_read) access.was_read |= access.has_new_attributes;
    if (access.step != Access::Step::kNone) access.step = Access::Step::kSet;
  } else if ((events & IN_CLOSE_NOWRITE) != 0) {
    if (std::exchange(access.is_own_closing_due, false)) return;
    if (access.step == Access::Step::kSet) access.was_read |= access.has_new_attributes;
    if (access.openings > 0) --access.openings;
    if (access.openings == 0 && access.step != Access::Step::kNone) access.step = Access::Step::kMayBeOpen;
  } else if ((events & IN_CLOSE_WRITE) != 0) {
    if (access.step == Access::Step::kSet)
      access.has_new_attributes = access.was_read = false;
    else
      access.has_unset_closing = true;
    access.step = Access::Step::kNone;
    if (access.openings > 0) --access.openings;
  } else if ((events & IN_ATTRIB) != 0) {
    access.has_new_attributes = true;
    access.step = Access::Step::kNone;
  }
}

void ChangeWatch::see_event(uint32_t events, const FileKey& key) {
  Watched& file = files_[key];
  ++file.reports;
  see_access(events, file.access);
  if ((events & kReadEvents) != 0) return;
  ++changes_;
  if ((events & IN_MODIFY) != 0) {
    file.state = State::kWritten;
  } else if (file.state == State::kClosed) {
    file.is_changed_again = true;
  } else if ((events & IN_CLOSE_WRITE) != 0 && file.state == State::kUnwritten) {
    closed_.insert(key);
    file.state = State::kClosed;
    file.is_changed_again = false;
  } else if ((events & IN_ATTRIB) != 0) {
    file.may_read = true;
    plan_note(key, file);
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
// that. See the header for what explains the closing otherwise.
bool ChangeWatch::is_explained(const FileKey& key, const Watched& file, struct stat& now) const {
  if (!looks_unmodified(key, file, now)) return false;
  const Access& access = file.access;
  if (file.leaves_access && (access.has_unset_closing || access.was_read)) return false;
  if (!file.is_changed_again && is_access_latest(now) && !is_same_time(changed_time(now), file.changed))
    return true;
  return access.is_noted && is_later(now.st_atim, access.noted) &&
         (file.has_no_access || access.noted.tv_sec + kMaxAge > file_time().tv_sec);
}

bool ChangeWatch::looks_unmodified(const FileKey& key, const Watched& file, struct stat& now) const {
  return look_(file.path, now) && FileKey{now.st_dev, now.st_ino} == key && now.st_size == file.size &&
         is_same_time(modified_time(now), file.modified);
}

// Reports that arrive while the times are read must be explained, too.
void ChangeWatch::explain_closing(const FileKey& key, Watched& file) {
  for (int tries = 0; tries < kMaxWatchTries; ++tries) {
    const uint64_t changes = changes_;
    struct stat now {};
    if (!is_explained(key, file, now)) break;
    read_arrived_events();
    if (file.state != State::kClosed) return;
    if (changes != changes_) continue;
    file.state = State::kUnwritten;
    file.changed = changed_time(now);
    file.access.has_unset_closing = file.access.has_new_attributes = file.access.was_read = false;
    file.may_read = true;
    plan_note(key, file);
    return;
  }
  file.state = State::kWritten;
}

void ChangeWatch::explain_closings() {
  while (!closed_.empty()) {
    const FileKey key = *closed_.begin();
    closed_.erase(closed_.begin());
    if (Watched& file = files_[key]; file.state == State::kClosed) explain_closing(key, file);
  }
}

void ChangeWatch::plan_note(const FileKey& key, const Watched& file) {
  if (file.leaves_access && to_note_.size() < kMaxToNote) to_note_.insert(key);
}

// Brings the access time forward. What this reports counts for nothing, or in favour of another program that
// has just opened the file, as equal reports are merged.
void ChangeWatch::read_byte_of(Watched& file) {
  constexpr uint64_t kOwnReports = 3;
  const Access before = file.access;
  const uint64_t reports = file.reports;
  {
    const Descriptor opened(open_(file.path));
    char byte = 0;
    if (opened.number() < 0 || ::pread(opened.number(), &byte, 1, 0) < 0) return;
    // Reports of another program that opens the file meanwhile may be merged with the two so far, and the
    // closing must not be taken for that program's.
    file.access.is_own_closing_due = true;
  }
  read_arrived_events();
  file.access.is_own_closing_due = false;
  if (file.reports == reports + kOwnReports) file.access = before;
  file.access.step = Access::Step::kSet;
}

// Returns false if the access time is not late yet, because the clock of files has not moved on or nothing
// was read, or if something else was reported meanwhile. A program that has just set it is given some time to
// close the file.
bool ChangeWatch::note_access(const FileKey& key, Watched& file) {
  read_arrived_events();
  if (file.state != State::kUnwritten) return false;
  if (file.access.step == Access::Step::kSet && file.waits < kMaxWaits) {
    ++file.waits;
    return false;
  }
  const uint64_t changes = changes_;
  struct stat now {};
  if (!looks_unmodified(key, file, now)) return true;
  if (!file.has_no_access && !is_access_late(now)) {
    if (!file.may_read) return false;
    read_byte_of(file);
    if (!looks_unmodified(key, file, now)) return true;
    if (!is_access_late(now)) return false;
  }
  read_arrived_events();
  if (changes != changes_ || file.state != State::kUnwritten) return false;
  const Access before = file.access;
  file.waits = 0;
  file.access = Access();
  file.access.step = before.step;  // of a program that has the file open
  file.access.openings = before.openings;
  file.access.noted = now.st_atim;
  file.access.is_noted = true;
  return true;
}

void ChangeWatch::note_accesses() {
  for (const FileKey& key : std::set<FileKey>(to_note_))
    if (Watched& file = files_[key]; file.state != State::kUnwritten || note_access(key, file))
      to_note_.erase(key);
}

void ChangeWatch::read_events() {
  read_arrived_events();
  explain_closings();
  note_accesses();
  explain_closings();  // those that were reported meanwhile
}

ChangeWatch::Arrived ChangeWatch::try_read_events() noexcept try {
  if (!mutex_.try_lock()) return Arrived::kBusy;
  const MutexLock lock(mutex_, std::adopt_lock);
  const uint64_t changes = changes_;
  if (events_.number() >= 0) read_events();
  if (!to_note_.empty()) return Arrived::kBusy;
  return changes == changes_ ? Arrived::kReads : Arrived::kOthers;
} catch (const std::exception&) {
  has_lost_events_ = true;
  return Arrived::kOthers;
}

void ChangeWatch::clear() noexcept {
  Descriptor closed;  // closed after the lock
  const MutexLock lock(mutex_);
  if (events_.number() >= 0) {
    ReportReader::of_process().remove(*this, events_.number());
    give_set_back();
  }
  closed = std::move(events_);
  is_full_ = has_lost_events_ = false;
  files_.clear();
  watches_.clear();
  closed_.clear();
  to_note_.clear();
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
