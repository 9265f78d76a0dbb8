#include "formats/core/base/file_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <list>
#include <new>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "cache/request.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/error.h"
#include "formats/core/base/folder_store.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/used_sources.h"

namespace plainfs {

namespace {

constexpr size_t kMaxAbsent = 100'000;  // paths to remember: 1.5 MB at most

// For opening without a free descriptor: others close theirs within the time of a block or chunk.
constexpr int64_t kPatience = 10'000'000'000;  // nanoseconds
constexpr timespec kBetweenTries{0, 2'000'000};

constexpr int kMaxLooks = 3;  // after the first, for a store that is being renamed

// A blocking open of a FIFO without a writer would hang.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

}  // namespace

size_t max_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return static_cast<size_t>(limit.rlim_cur);
}

using LocalFilePtr = std::shared_ptr<const LocalFile>;

struct FilePool::State {
  struct Open {
    std::string path;
    LocalFilePtr file;
  };

  State(size_t most, std::atomic<uint64_t>* counter)
      : max_open(std::clamp<size_t>(most, 1, std::max<size_t>(max_descriptors() / 4, 1))),
        max_in_all(std::max<size_t>(max_descriptors() / 2, 1)) {
    owner->bytes_read = counter;
    owner->open = [this](const std::string& path) { return open_descriptor(path); };
    owner->look = [this](const std::string& path, struct stat& status) { return look(path, status); };
    owner->is_unwritten = [this](const std::string&, const struct stat& now, uint64_t before) {
      return watch.is_unwritten(now, before);
    };
  }

  const size_t max_open;
  const size_t max_in_all;  // including files held outside of the pool
  const std::shared_ptr<LocalFile::Owner> owner = std::make_shared<LocalFile::Owner>();
  // Set before anything is opened.
  Containment bounds;
  std::string followed;     // the store to follow if it is renamed; empty: none
  Descriptor followed_now;  // none: not followed
  Mutex mutex;
  std::list<Open> open GUARDED_BY(mutex);  // most recently used first
  std::unordered_map<std::string_view, std::list<Open>::iterator> by_path
      GUARDED_BY(mutex);  // keys point into open
  std::unordered_map<std::string, std::weak_ptr<const LocalFile>> held
      GUARDED_BY(mutex);  // held by others, not in open
  std::vector<std::weak_ptr<const LocalFile>> former
      GUARDED_BY(mutex);                           // opened before clear(), held by others
  size_t held_before_look GUARDED_BY(mutex) = 64;  // size at which expired entries are removed
  PathFingerprints fingerprints GUARDED_BY(mutex);
  PathFingerprints absent GUARDED_BY(mutex){kMaxAbsent};
  // Destroyed first, because another thread calls look() for it.
  ChangeWatch watch{[this](const std::string& path, struct stat& status) { return look(path, status); },
                    [this](const std::string& path) { return open_at(path, kOpenFlags); }};

  int open_descriptor(const std::string& path);
  int open_at(const std::string& path, int flags) const;
  bool is_of_followed(const std::string& path) const;
  std::string place_of(const std::string& path) const;
  bool look(const std::string& path, struct stat& status) const;
  LocalFilePtr watched(const std::string& path, int descriptor);
  LocalFilePtr find(const std::string& path);
  LocalFilePtr keep(const std::string& path, LocalFilePtr file);
  LocalFilePtr keep_locked(const std::string& path, LocalFilePtr file, std::list<Open>& closed)
      REQUIRES(mutex);
  void let_go(const Open& file) noexcept REQUIRES(mutex);
  void close_all() noexcept;
  void remember(const std::string& path, const LocalFile& file);
  void remember_absent(const std::string& path);
};

// Opens like ::open, but waits while the process or the system has no descriptor left. The wait is limited,
// because a waiting thread may itself keep another from finishing.
int FilePool::State::open_descriptor(const std::string& path) {
  if (owner->open_descriptors >= max_in_all) close_all();
  int64_t waited = 0;
  for (;;) {
    const int descriptor = open_at(path, kOpenFlags);
    if (descriptor >= 0 || (errno != EMFILE && errno != ENFILE) || waited > kPatience) return descriptor;
    close_all();
    if (waited > 0) {
      check_cancelled();
      ::nanosleep(&kBetweenTries, nullptr);
    }
    waited += kBetweenTries.tv_nsec;
  }
}

// Opens like Containment::open, also a file that has a new path because the store was renamed. It may be
// renamed again meanwhile, so that each path is tried more than once.
int FilePool::State::open_at(const std::string& path, int flags) const {
  for (int looks = 0;; ++looks) {
    const int descriptor = bounds.open(path, flags);
    if (descriptor >= 0 || errno != ENOENT || !is_of_followed(path) || looks == kMaxLooks) return descriptor;
    const std::string place = place_of(path);
    errno = ENOENT;
    if (place == path && looks > 0) return -1;
    if (place == path) continue;
    const std::string store = place.substr(0, place.size() - (path.size() - followed.size()));
    const int moved = bounds.is_bounded() ? Containment::of_store(store).open(place, flags)
                                          : ::open(place.c_str(), flags | O_CLOEXEC);
    if (moved >= 0 || errno != ENOENT) return moved;
  }
}

// Returns whether the path belongs to the store that is followed.
bool FilePool::State::is_of_followed(const std::string& path) const {
  return followed_now.number() >= 0 && path.starts_with(followed) &&
         (path.size() == followed.size() || path[followed.size()] == '/');
}

// Returns the path itself, unless it belongs to the followed store and that was renamed.
std::string FilePool::State::place_of(const std::string& path) const {
#ifdef O_PATH
  struct stat current {
  }, store{}, found{};
  if (!is_of_followed(path)) return path;
  if (::stat(followed.c_str(), &current) == 0 || !is_absence(errno)) return path;
  if (::fstat(followed_now.number(), &store) != 0 || store.st_nlink == 0) return path;
  char place[PATH_MAX];
  const std::string link = fmt::format("/proc/self/fd/{}", followed_now.number());
  const ssize_t size = ::readlink(link.c_str(), place, sizeof place);
  if (size <= 0 || static_cast<size_t>(size) == sizeof place) return path;
  const std::string now(place, static_cast<size_t>(size));
  if (::stat(now.c_str(), &found) != 0 || found.st_dev != store.st_dev || found.st_ino != store.st_ino)
    return path;
  return now + path.substr(followed.size());
#else
  return path;
#endif
}

bool FilePool::State::look(const std::string& path, struct stat& status) const {
  for (int looks = 0;; ++looks) {
    if (::stat(path.c_str(), &status) == 0) return true;
    if (!is_absence(errno) || !is_of_followed(path) || looks == kMaxLooks) return false;
    const int error = errno;
    const std::string place = place_of(path);
    if (place != path && ::stat(place.c_str(), &status) == 0) return true;
    errno = error;
    if (place == path && looks > 0) return false;
  }
}

// Returns the opened file. Writes to it are watched from now on.
LocalFilePtr FilePool::State::watched(const std::string& path, int descriptor) {
  watch.watch(descriptor, path);
  LocalFilePtr file = LocalFile::adopt(descriptor, path, owner);
  // If the store is renamed out of the permitted folder, it could not be opened again.
  if (path == followed) file->descriptor();
  return file;
}

LocalFilePtr FilePool::State::find(const std::string& path) {
  std::list<Open> closed;  // destroyed after the lock
  const MutexLock lock(mutex);
  if (const auto found = by_path.find(path); found != by_path.end()) {
    open.splice(open.begin(), open, found->second);
    return found->second->file;
  }
  const auto kept = held.find(path);
  LocalFilePtr file = kept == held.end() ? nullptr : kept->second.lock();
  if (kept != held.end()) held.erase(kept);
  return file ? keep_locked(path, std::move(file), closed) : nullptr;
}

LocalFilePtr FilePool::State::keep(const std::string& path, LocalFilePtr file) {
  std::list<Open> closed;  // destroyed after the lock
  const MutexLock lock(mutex);
  if (const auto found = by_path.find(path); found != by_path.end()) return found->second->file;
  return keep_locked(path, std::move(file), closed);
}

// Remembers a file that is held outside of the pool, so that it can be shared. If memory is exhausted, it is
// opened a second time.
void FilePool::State::let_go(const Open& file) noexcept try {
  if (file.file.use_count() == 1) return;
  if (held.size() >= held_before_look) {
    std::erase_if(held, [](const auto& each) { return each.second.expired(); });
    held_before_look = 2 * held.size() + 64;
  }
  held.insert_or_assign(file.path, file.file);
} catch (const std::bad_alloc&) {
  return;
}

// closed: files to close without the mutex.
LocalFilePtr FilePool::State::keep_locked(const std::string& path, LocalFilePtr file,
                                          std::list<Open>& closed) {
  if (open.size() >= max_open) {
    let_go(open.back());
    by_path.erase(open.back().path);
    closed.splice(closed.begin(), open, std::prev(open.end()));
  }
  std::list<Open> one{{path, file}};
  by_path.emplace(one.front().path, one.begin());
  open.splice(open.begin(), one);
  return file;
}

// Closes all files. Files that are also held outside give up their descriptors unless they are being read, if
// there is memory to collect them.
void FilePool::State::close_all() noexcept {
  std::list<Open> closed;  // destroyed after the lock
  std::vector<LocalFilePtr> kept;
  const MutexLock lock(mutex);
  for (const Open& file : open) let_go(file);
  by_path.clear();
  closed.swap(open);
  try {
    kept.reserve(held.size() + former.size());
  } catch (const std::bad_alloc&) {
    return;
  }
  for (const auto& [path, file] : held)
    if (LocalFilePtr living = file.lock()) kept.push_back(std::move(living));
  for (const auto& file : former)
    if (LocalFilePtr living = file.lock()) kept.push_back(std::move(living));
  for (const LocalFilePtr& file : kept) file->let_descriptor_go();
}

void FilePool::State::remember(const std::string& path, const LocalFile& file) {
  uint32_t before = 0;
  {
    const MutexLock lock(mutex);
    if (absent.knows(path) || !fingerprints.matches(path, file.fingerprint(), file.metadata()))
      throw changed(path);
    before = fingerprints.metadata(path);
  }
  if (before == static_cast<uint32_t>(file.metadata())) return;
  if (!file.is_unwritten_since(before)) throw changed(path);
  const MutexLock lock(mutex);
  fingerprints.set_metadata(path, file.metadata());
}

void FilePool::State::remember_absent(const std::string& path) {
  const MutexLock lock(mutex);
  if (fingerprints.knows(path)) throw changed(path);
  absent.matches(path, 0);
}

FilePool::FilePool(size_t max_open, std::atomic<uint64_t>* bytes_read)
    : state_(std::make_unique<State>(max_open, bytes_read)) {}

FilePool::~FilePool() {
  state_->owner->open = [](const std::string&) {  // for files that outlive the pool
    errno = EBADF;
    return -1;
  };
  const LocalFile::Owner plain;
  state_->owner->look = plain.look;
  state_->owner->is_unwritten = plain.is_unwritten;
}

void FilePool::confine(Containment bounds) {
  state_->bounds = std::move(bounds);
}

void FilePool::follow(const std::string& path) {
#ifdef O_PATH
  state_->followed = path;
  while (state_->followed.ends_with('/')) state_->followed.pop_back();
  if (!state_->followed.empty()) state_->followed_now = Descriptor(::open(path.c_str(), O_PATH | O_CLOEXEC));
#else
  (void)path;
#endif
}

std::string FilePool::place_of(const std::string& path) {
  const std::optional<std::string> host = inside().host_of(path);
  return state_->place_of(host ? *host : path);
}

bool FilePool::is_unwritten(const struct stat& now, uint64_t before) {
  return state_->watch.is_unwritten(now, before);
}

const Containment& FilePool::bounds() const {
  return state_->bounds;
}

int FilePool::open_descriptor(const std::string& path) {
  if (path.find('\0') != std::string::npos) throw system_error(path, EINVAL);
  const int descriptor = state_->open_descriptor(path);
  if (descriptor >= 0) return descriptor;
  const int error = errno;
  if (error == EXDEV) throw outside_error(path);
  if (error == ENAMETOOLONG) return -1;
  if (error == ENXIO) throw damaged("{}: not a regular file", path);  // a socket
  struct stat link {};
  if (error == ENOENT && ::lstat(path.c_str(), &link) == 0) {
    if (S_ISLNK(link.st_mode)) throw unreadable("{}: the link is broken", path);
    return state_->open_descriptor(path);  // it exists since
  }
  if (error != ENOENT) throw system_error(path, error);
  return -1;
}

FilePtr FilePool::open_if_exists(const std::string& path) {
  if (const auto place = inside().find(path)) return place->tree->open(place->key);
  if (FilePtr file = state_->find(path)) return file;
  const int descriptor = open_descriptor(path);
  if (descriptor < 0) {
    state_->remember_absent(path);
    return nullptr;
  }
  LocalFilePtr file = state_->watched(path, descriptor);
  state_->remember(path, *file);
  return state_->keep(path, std::move(file));
}

KeyStorePtr FilePool::open_folder(const std::string& path) {
  if (const auto place = inside().find_folder(path)) return open_folder_inside(path, *place, *this);
  return open_folder_store(path, *this);
}

EntryKind FilePool::kind_of(const std::string& path) {
  if (const auto place = inside().find(path)) return place->tree->kind_of(place->key);
  struct stat status {};
  if (path.find('\0') != std::string::npos) return EntryKind::nothing;
  if (!state_->look(path, status)) {
    if (is_absence(errno)) return EntryKind::nothing;
    throw system_error(path, errno);
  }
  if (S_ISREG(status.st_mode)) return EntryKind::file;
  return S_ISDIR(status.st_mode) ? EntryKind::folder : EntryKind::other;
}

FilePtr FilePool::look_into(const std::string& path) {
  if (const auto place = inside().find(path)) return place->tree->open(place->key);
  if (path.find('\0') != std::string::npos) return nullptr;
  const int descriptor = state_->open_descriptor(path);
  if (descriptor >= 0) return state_->watched(path, descriptor);
  if (is_absence(errno) || errno == EXDEV || errno == ENXIO) return nullptr;
  throw system_error(path, errno);
}

void FilePool::clear() {
  state_->close_all();
  const MutexLock lock(state_->mutex);
  std::vector<std::weak_ptr<const LocalFile>>& former = state_->former;
  try {
    former.reserve(former.size() + state_->held.size());
    for (auto& [path, file] : state_->held) former.push_back(std::move(file));
  } catch (const std::bad_alloc&) {
    // They keep their descriptors as long as they are held.
  }
  std::erase_if(former, [](const auto& file) { return file.expired(); });
  state_->held.clear();
  state_->fingerprints.clear();
  state_->absent.clear();
  state_->watch.clear();
}

}  // namespace plainfs
