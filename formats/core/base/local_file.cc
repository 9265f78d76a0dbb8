#include "formats/core/base/local_file.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include <mutex>
#include <system_error>

#include "cache/mutex.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/error.h"
#include "formats/core/base/modified_time.h"

namespace plainfs {
namespace {

[[maybe_unused]] constexpr uint64_t kSmallGap = 16 << 10;  // bytes that cost less to read than to skip

// So long after a check of an open file, the next read does without another: the small reads of one task.
constexpr int64_t kJustNow = 50'000;  // ns

// Returns the time of a clock in nanoseconds; 0 if the system does not have the clock.
int64_t clock_time(clockid_t clock) {
  timespec now{};
  return ::clock_gettime(clock, &now) == 0 ? int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec : 0;
}

// Returns the system's coarse clock, which is cheap to read; 0 if it has none.
int64_t clock_tick() {
#ifdef CLOCK_MONOTONIC_COARSE
  return clock_time(CLOCK_MONOTONIC_COARSE);
#else
  return 0;
#endif
}

}  // namespace

uint64_t fingerprint_of(const struct stat& status) {
  uint64_t h = mixed(1, status.st_dev);
  h = mixed(h, status.st_ino);
  h = mixed(h, static_cast<uint64_t>(status.st_size));
  h = mixed(h, static_cast<uint64_t>(modified_time(status).tv_sec));
  return mixed(h, static_cast<uint64_t>(modified_time(status).tv_nsec));
}

struct stat LocalFile::status_of_regular(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    const int error = errno;
    ::close(descriptor);
    throw system_error(path, error);
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw damaged("{}: not a regular file", path);
  }
  return status;
}

LocalFile::LocalFile(int descriptor, std::string path, const struct stat& status,
                     std::shared_ptr<Owner> owner)
    : File(std::move(path), static_cast<uint64_t>(status.st_size), fingerprint_of(status)),
      descriptor_(descriptor),
      modified_(modified_time(status)),
      metadata_(metadata_mark(status)),
      owner_(std::move(owner)) {
  ++owner_->open_descriptors;
}

LocalFile::~LocalFile() {
  {
    const WriterLock lock(mutex_);
    is_asked_for_ = false;
  }
  let_descriptor_go();
}

void LocalFile::let_descriptor_go() const {
  if (!mutex_.try_lock()) return;
  const WriterLock lock(mutex_, std::adopt_lock);
  if (descriptor_ < 0 || is_asked_for_) return;
  ::close(descriptor_);
  descriptor_ = -1;
  --owner_->open_descriptors;
}

void LocalFile::hold_descriptor() const {
  for (;;) {
    mutex_.lock_shared();
    if (descriptor_ >= 0) return;
    mutex_.unlock_shared();
    // Without the lock: others may have to close their descriptors for it.
    const int descriptor = owner_->open(path());
    if (descriptor < 0) throw errno == ENOENT ? changed(path()) : system_error(path(), errno);
    struct stat status {};
    const int error = ::fstat(descriptor, &status) == 0 ? 0 : errno;
    const WriterLock lock(mutex_);
    const bool is_this = error == 0 && is_same(status);
    if (is_this && descriptor_ < 0) {
      descriptor_ = descriptor;
      ++owner_->open_descriptors;
      continue;
    }
    ::close(descriptor);
    if (error != 0) throw system_error(path(), error);
    if (!is_this) throw changed(path());
  }
}

int LocalFile::descriptor() const {
  for (;;) {
    hold_descriptor();
    mutex_.unlock_shared();
    const WriterLock lock(mutex_);
    if (descriptor_ < 0) continue;
    is_asked_for_ = true;
    return descriptor_;
  }
}

void LocalFile::lend_descriptor(const std::function<void(int descriptor)>& borrow) const {
  hold_descriptor();
  const ReaderLock held(mutex_, std::adopt_lock);
  borrow(descriptor_);
}

void LocalFile::read(uint64_t offset, std::span<std::byte> out) const {
  hold_descriptor();
  const ReaderLock held(mutex_, std::adopt_lock);
  check_open_file_before_reading();
  const auto got = read_all_at(descriptor_, offset, reinterpret_cast<char*>(out.data()), out.size());
  if (!got) throw system_error(path(), errno);
  const size_t done = *got;
  if (owner_->bytes_read) owner_->bytes_read->fetch_add(done, std::memory_order_relaxed);
  check_open_file();
  if (done == out.size()) return;
  // The system returns less than there is, or no file is that long.
  if (offset + done < size())
    throw unreadable("{}: ends at byte {}, expected {} bytes", path(), offset + done, size());
  throw damaged("{}: ends at byte {}, expected {} bytes", path(), offset + done, offset + out.size());
}

// Announcing ranges costs about as much as reading data in memory, so it is done only if the disk is needed,
// which the first and the last range indicate well enough.
void LocalFile::will_read(std::span<const ByteRange> ranges) const {
#if defined(POSIX_FADV_WILLNEED) && defined(RWF_NOWAIT)
  if (ranges.size() < 2) return;
  hold_descriptor();
  const ReaderLock held(mutex_, std::adopt_lock);
  const auto is_in_memory = [descriptor = descriptor_](uint64_t offset) {
    std::byte byte;
    iovec one{&byte, 1};
    return ::preadv2(descriptor, &one, 1, static_cast<off_t>(offset), RWF_NOWAIT) >= 0 || errno != EAGAIN;
  };
  if (is_in_memory(ranges.front().offset) && is_in_memory(ranges.back().offset)) return;
  for (size_t i = 0; i < ranges.size();) {
    uint64_t end = ranges[i].offset + ranges[i].size;
    const uint64_t offset = ranges[i].offset;
    for (++i; i < ranges.size() && ranges[i].offset <= end + kSmallGap; ++i)
      end = std::max(end, ranges[i].offset + ranges[i].size);
    ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(end - offset),
                    POSIX_FADV_WILLNEED);
  }
#else
  (void)ranges;
#endif
}

void LocalFile::check_unchanged() const {
  const ReaderLock held(mutex_);
  descriptor_ < 0 ? check_path_now(clock_tick()) : check_open_file();
}

// The check of the path in this tick covered all that check_unchanged() checks.
void LocalFile::check_unchanged_lately() const {
  const int64_t now = clock_tick();
  if (now == 0 || path_checked_.load(std::memory_order_relaxed) != now) check_unchanged();
}

// Returns whether `status` is that of the file as it was opened, apart from its metadata.
bool LocalFile::is_same(const struct stat& status) const {
  if (fingerprint_of(status) != fingerprint()) return false;
  const uint64_t before = metadata(), now = metadata_mark(status);
  if (before == now) return true;
  if (!owner_->is_unwritten(path(), status, before)) return false;
  path_checked_.store(0, std::memory_order_relaxed);  // the file may have lost its name
  metadata_.store(now, std::memory_order_relaxed);
  return true;
}

bool LocalFile::is_unwritten_since(uint64_t before) const {
  hold_descriptor();
  const ReaderLock held(mutex_, std::adopt_lock);
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && is_same(status) &&
         owner_->is_unwritten(path(), status, before);
}

// Requires: the descriptor is held.
void LocalFile::check_open_file() const {
  const int64_t now = clock_time(CLOCK_MONOTONIC);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw system_error(path(), errno);
  if (!is_same(status)) throw changed(path());
  check_path();
  file_checked_.store(now, std::memory_order_relaxed);
}

// A read changes the access time, by which `touch -a` differs from a write (change_watch.h). What comes
// between a check and a read soon after it counts as a write.
void LocalFile::check_open_file_before_reading() const {
  const int64_t checked = file_checked_.load(std::memory_order_relaxed);
  if (checked == 0 || clock_time(CLOCK_MONOTONIC) - checked > kJustNow) check_open_file();
}

// A replaced file is a different file, although its bytes can still be read. Following the path costs as much
// as a small read, so it is done once per clock tick, or if the metadata have changed.
void LocalFile::check_path() const {
  const int64_t now = clock_tick();
  if (now == 0 || path_checked_.load(std::memory_order_relaxed) != now) check_path_now(now);
}

void LocalFile::check_path_now(int64_t now) const {
  struct stat status {};
  if (!owner_->look(path(), status)) {
    if (errno == ENOENT) throw changed(path());
    throw system_error(path(), errno);
  }
  if (!is_same(status)) throw changed(path());
  path_checked_.store(now, std::memory_order_relaxed);
}

void LocalFile::check_unmodified_since(timespec then) const {
  if (is_modified_since(modified_, then)) throw changed(path());
}

Error system_error(const std::string& path, int error) {
  const bool is_of_storage =
      error == EIO || error == ENOTCONN || error == ESTALE || error == ETIMEDOUT || error == EHOSTDOWN;
  return unreadable("{}: {}{}", path, std::generic_category().message(error),
                    is_of_storage ? ": the storage of this file fails" : "");
}

}  // namespace plainfs
