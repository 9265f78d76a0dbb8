#include "formats/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>

#include "cache/request.h"
#include "formats/base/error.h"
#include "formats/base/modified_time.h"
#include "formats/base/path_fingerprints.h"

namespace plainfs {

namespace {

constexpr size_t kMostAbsent = 100'000;  // paths that are remembered: 1.5 MB at most

// Where there is no descriptor left: others close theirs within a block's or chunk's time.
constexpr int64_t kPatience = 10'000'000'000;  // nanoseconds
constexpr timespec kBetweenTries{0, 2'000'000};

Error system_error(const std::string& path, int error) {
  return unreadable("{}: {}", path, std::generic_category().message(error));
}

uint64_t mixed(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

bool is_later(timespec a, timespec b) {
  return std::tie(b.tv_sec, b.tv_nsec) < std::tie(a.tv_sec, a.tv_nsec);
}

uint64_t fingerprint_of(const struct stat& status) {
  uint64_t h = mixed(1, status.st_dev);
  h = mixed(h, status.st_ino);
  h = mixed(h, static_cast<uint64_t>(status.st_size));
  for (const timespec time : {modified_time(status), changed_time(status)}) {
    h = mixed(h, static_cast<uint64_t>(time.tv_sec));
    h = mixed(h, static_cast<uint64_t>(time.tv_nsec));
  }
  return h;
}

// The time as the system keeps it for its own use, which costs nothing to read; 0 where it keeps none.
int64_t clock_tick() {
#ifdef CLOCK_MONOTONIC_COARSE
  timespec now{};
  if (::clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0)
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
#endif
  return 0;
}

}  // namespace

File::File(int descriptor, std::string path, std::atomic<uint64_t>* bytes_read)
    : descriptor_(descriptor), path_(std::move(path)), bytes_read_(bytes_read) {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    ::close(descriptor_);
    throw system_error(path_, error);
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw damaged("{}: is no regular file", path_);
  }
  size_ = static_cast<uint64_t>(status.st_size);
  modified_ = modified_time(status);
  links_ = status.st_nlink;
  fingerprint_ = fingerprint_of(status);
}

File::~File() {
  ::close(descriptor_);
}

void File::check_range(uint64_t offset, size_t size) const {
  if (offset <= size_ && size <= size_ - offset) return;
  check_unchanged();
  throw damaged("{}: {} bytes wanted at byte {}, the file has {}", path_, size, offset, size_);
}

void File::read_at(uint64_t offset, std::span<std::byte> out) const {
  check_range(offset, out.size());
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        ::pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(path_, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  if (bytes_read_) bytes_read_->fetch_add(done, std::memory_order_relaxed);
  check_unchanged();
  if (done < out.size()) throw damaged("{}: ends at byte {} of {}", path_, offset + done, size_);
}

Bytes File::read_at(uint64_t offset, size_t size) const {
  check_range(offset, size);
  Bytes bytes(size);
  read_at(offset, std::span(bytes));
  return bytes;
}

void File::check_unchanged() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw system_error(path_, errno);
  if (fingerprint_of(status) != fingerprint_) throw changed(path_);
  check_path(status.st_nlink);
}

// A file that was replaced is another one, though its bytes can still be read. To follow the path costs as
// much as a small read, so it is done once a tick of the clock, or where the file has lost a name.
void File::check_path(uint64_t links) const {
  const int64_t now = clock_tick();
  if (links == links_ && now != 0 && path_checked_.load(std::memory_order_relaxed) == now) return;
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno == ENOENT) throw changed(path_);
    throw system_error(path_, errno);
  }
  if (fingerprint_of(status) != fingerprint_) throw changed(path_);
  path_checked_.store(now, std::memory_order_relaxed);
}

void File::check_unmodified_since(timespec then) const {
  if (is_modified_since(modified_, then)) throw changed(path_);
}

timespec file_time() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now;
}

void wait_for_file_time() {
#ifdef CLOCK_REALTIME_COARSE
  const timespec start = file_time();
  timespec tick{};
  const timespec pause{0, 500'000};
  while (::clock_gettime(CLOCK_REALTIME_COARSE, &tick) == 0 && !is_later(tick, start)) {
    ::nanosleep(&pause, nullptr);
  }
#endif
}

bool is_modified_since(timespec modified, timespec then) {
  return is_later(modified, then) && !is_later(modified, file_time());
}

size_t most_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return static_cast<size_t>(limit.rlim_cur);
}

struct FilePool::State {
  struct Open {
    std::string path;
    FilePtr file;
  };

  State(size_t most, std::atomic<uint64_t>* counter)
      : most_open(std::clamp<size_t>(most, 1, std::max<size_t>(most_descriptors() / 4, 1))),
        bytes_read(counter) {}

  const size_t most_open;
  std::atomic<uint64_t>* const bytes_read;
  Containment bounds;                                                       // set before anything is opened
  std::mutex mutex;                                                         // guards everything below
  std::list<Open> open;                                                     // the latest used first
  std::unordered_map<std::string_view, std::list<Open>::iterator> by_path;  // keys live in open
  PathFingerprints fingerprints;
  PathFingerprints absent{kMostAbsent};

  int open_descriptor(const std::string& path);
  FilePtr find(const std::string& path);
  FilePtr keep(const std::string& path, FilePtr file);
  void close_all();
  void remember(const std::string& path, uint64_t fingerprint);
  void remember_absent(const std::string& path);
};

// As ::open, but waits while the process or the system has no descriptor left. Whoever waits may itself keep
// another from ending, so it is not for ever.
int FilePool::State::open_descriptor(const std::string& path) {
  // A FIFO without a writer would hold up a blocking open.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int64_t waited = 0;
  for (;;) {
    const int descriptor = bounds.open(path, kFlags);
    if (descriptor >= 0 || (errno != EMFILE && errno != ENFILE) || waited > kPatience) return descriptor;
    close_all();
    if (waited > 0) {
      check_cancelled();
      ::nanosleep(&kBetweenTries, nullptr);
    }
    waited += kBetweenTries.tv_nsec;
  }
}

FilePtr FilePool::State::find(const std::string& path) {
  const std::lock_guard lock(mutex);
  const auto found = by_path.find(path);
  if (found == by_path.end()) return nullptr;
  open.splice(open.begin(), open, found->second);
  return found->second->file;
}

FilePtr FilePool::State::keep(const std::string& path, FilePtr file) {
  std::list<Open> closed;  // after the lock
  const std::lock_guard lock(mutex);
  if (const auto found = by_path.find(path); found != by_path.end()) return found->second->file;
  if (open.size() >= most_open) {
    by_path.erase(open.back().path);
    closed.splice(closed.begin(), open, std::prev(open.end()));
  }
  open.push_front({path, file});
  by_path.emplace(open.front().path, open.begin());
  return file;
}

void FilePool::State::close_all() {
  std::list<Open> closed;  // after the lock
  const std::lock_guard lock(mutex);
  by_path.clear();
  closed.swap(open);
}

void FilePool::State::remember(const std::string& path, uint64_t fingerprint) {
  const std::lock_guard lock(mutex);
  if (absent.knows(path) || !fingerprints.matches(path, fingerprint)) throw changed(path);
}

void FilePool::State::remember_absent(const std::string& path) {
  const std::lock_guard lock(mutex);
  if (fingerprints.knows(path)) throw changed(path);
  absent.matches(path, 0);
}

FilePool::FilePool(size_t most_open, std::atomic<uint64_t>* bytes_read)
    : state_(std::make_unique<State>(most_open, bytes_read)) {}

FilePool::~FilePool() = default;

void FilePool::confine(Containment bounds) {
  state_->bounds = std::move(bounds);
}

const Containment& FilePool::bounds() const {
  return state_->bounds;
}

FilePtr FilePool::open_if_exists(const std::string& path) {
  if (FilePtr file = state_->find(path)) return file;
  if (path.find('\0') != std::string::npos) throw system_error(path, EINVAL);
  const int descriptor = state_->open_descriptor(path);
  if (descriptor < 0) {
    const int error = errno;
    if (error == EXDEV) throw outside_error(path);
    if (error == ENAMETOOLONG) return nullptr;
    if (error == ENXIO) throw damaged("{}: is no regular file", path);  // a socket
    struct stat link {};
    if (error == ENOENT && ::lstat(path.c_str(), &link) == 0)
      throw unreadable("{}: is a link that leads nowhere", path);
    if (error != ENOENT) throw system_error(path, error);
    state_->remember_absent(path);
    return nullptr;
  }
  auto file = std::make_shared<const File>(descriptor, path, state_->bytes_read);
  state_->remember(path, file->fingerprint());
  return state_->keep(path, std::move(file));
}

FilePtr FilePool::open(const std::string& path) {
  FilePtr file = open_if_exists(path);
  if (!file) throw not_found("{}: {}", path, std::generic_category().message(ENOENT));
  return file;
}

Bytes FilePool::read_whole(const std::string& path, uint64_t most_bytes) {
  std::optional<Bytes> bytes = read_whole_if_exists(path, most_bytes);
  if (!bytes) throw not_found("{}: {}", path, std::generic_category().message(ENOENT));
  return *std::move(bytes);
}

std::optional<Bytes> FilePool::read_whole_if_exists(const std::string& path, uint64_t most_bytes) {
  const FilePtr file = open_if_exists(path);
  if (!file) return std::nullopt;
  if (file->size() > most_bytes) {
    throw damaged("{}: has {} bytes, at most {} are expected", path, file->size(), most_bytes);
  }
  return file->read_at(0, file->size());
}

void FilePool::clear() {
  state_->close_all();
  const std::lock_guard lock(state_->mutex);
  state_->fingerprints.clear();
  state_->absent.clear();
}

}  // namespace plainfs
