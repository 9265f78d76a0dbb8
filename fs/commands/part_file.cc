#include "fs/commands/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "formats/core/base/descriptor.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/remote/sha256.h"
#include "formats/core/text/path_names.h"

namespace plainfs {
namespace {

constexpr std::string_view kPartEnding = ".plainfs-part";
constexpr size_t kShortDigest = 32;  // hexadecimal digits

// Renames a file to a free name. Returns false, with errno EEXIST if the name is taken.
bool rename_unless_taken(const Descriptor& folder, const std::string& from, const std::string& to) {
#ifdef __linux__
  if (::renameat2(folder.number(), from.c_str(), folder.number(), to.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  // For a file system without that call. Below: one without hard links.
  if (::linkat(folder.number(), from.c_str(), folder.number(), to.c_str(), 0) == 0)
    return ::unlinkat(folder.number(), from.c_str(), 0) == 0;
  if (errno == EEXIST) return false;
  struct stat existing {};
  if (::fstatat(folder.number(), to.c_str(), &existing, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return errno == ENOENT && ::renameat(folder.number(), from.c_str(), folder.number(), to.c_str()) == 0;
}

}  // namespace

Failure PartFile::disk_failure() const {
  return plainfs::disk_failure(whole_);
}

NameTaken PartFile::name_taken() const {
  return NameTaken(fmt::format("{}: {} is in the way", whole_, name_));
}

PartFile::PartFile(Descriptor folder, std::string name, std::string whole)
    : PartFile(std::move(folder), std::move(name), std::move(whole), true) {}

PartFile PartFile::existing(Descriptor folder, std::string name, std::string whole) {
  return PartFile(std::move(folder), std::move(name), std::move(whole), false);
}

PartFile::PartFile(Descriptor folder, std::string name, std::string whole, bool makes_it)
    : folder_(std::move(folder)), name_(std::move(name)), whole_(std::move(whole)), file_(-1) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (;;) {
    file_ = Descriptor(::openat(folder_.number(), name_.c_str(), kFlags));
    if (file_.number() >= 0 || errno != ENOENT || !makes_it) break;
    file_ = Descriptor(::openat(folder_.number(), name_.c_str(), kFlags | O_CREAT | O_EXCL, 0666));
    is_new_ = file_.number() >= 0;
    if (is_new_ || errno != EEXIST) break;  // else another process has just created it
  }
  if (!has_file() && errno == ENOENT && !makes_it) return;
  if (!has_file() && (errno == ELOOP || errno == EISDIR)) throw name_taken();
  if (!has_file()) throw disk_failure();
  // A file that another process put there may be a hard link to another file, or be read while it is written.
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) throw disk_failure();
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1 || status.st_uid != ::geteuid()) throw name_taken();
}

// Returns false if another process has removed or renamed the file since it was opened.
bool PartFile::has_own_name() const {
  struct stat opened {
  }, named{};
  if (::fstat(file_.number(), &opened) != 0) throw disk_failure();
  return ::fstatat(folder_.number(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

PartFile PartFile::owned(Descriptor folder, std::string name, std::string whole) {
  PartFile file(std::move(folder), std::move(name), std::move(whole));
  for (;;) {
    // Some file systems have no locks. There, the last of several exports to one name wins.
    if (::flock(file.file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw Failure(kNotWritten, fmt::format("{}: another export is writing it", file.whole_));
    if (file.has_own_name()) break;
    file = PartFile(std::move(file.folder_), std::move(file.name_), std::move(file.whole_));
  }
  if (::ftruncate(file.file_.number(), 0) != 0) throw file.disk_failure();
  return file;
}

uint64_t PartFile::size() const {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) throw disk_failure();
  return static_cast<uint64_t>(status.st_size);
}

timespec PartFile::modified() const {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) throw disk_failure();
  return modified_time(status);
}

void PartFile::reserve(uint64_t size) {
#ifdef __linux__
  if (size > 0 && ::fallocate(file_.number(), 0, 0, static_cast<off_t>(size)) != 0 && errno != EOPNOTSUPP &&
      errno != ENOSYS)
    throw disk_failure();
#endif
  if (this->size() != size && ::ftruncate(file_.number(), static_cast<off_t>(size)) != 0)
    throw disk_failure();
}

void PartFile::write_at(uint64_t offset, const Slices& slices) {
  for (const iovec& part : slices.parts) {
    if (!write_all_at(file_.number(), offset, {static_cast<const char*>(part.iov_base), part.iov_len}))
      throw disk_failure();
    offset += part.iov_len;
  }
}

void PartFile::write_at(uint64_t offset, ByteSpan bytes) {
  if (!write_all_at(file_.number(), offset, as_text(bytes))) throw disk_failure();
}

size_t PartFile::read_at(uint64_t offset, char* out, size_t size) const {
  const std::optional<size_t> got = read_all_at(file_.number(), offset, out, size);
  if (!got) throw disk_failure();
  return *got;
}

void PartFile::set_time(timespec time) {
  const timespec times[2] = {time, time};
  if (::futimens(file_.number(), times) != 0) throw disk_failure();
}

void PartFile::flush() {
#ifdef __linux__
  const bool is_done = ::fdatasync(file_.number()) == 0;
#elif defined(F_FULLFSYNC)  // syncs the disk's cache, too; not on every file system
  const bool is_done = ::fcntl(file_.number(), F_FULLFSYNC) == 0 || ::fsync(file_.number()) == 0;
#else
  const bool is_done = ::fsync(file_.number()) == 0;
#endif
  if (!is_done) throw disk_failure();
}

void PartFile::finish(uint64_t size, timespec time, const std::string& name) {
  if (::ftruncate(file_.number(), static_cast<off_t>(size)) != 0) throw disk_failure();
  set_time(time);
  if (::renameat(folder_.number(), name_.c_str(), folder_.number(), name.c_str()) == 0) return;
  if (errno == EISDIR) throw NameTaken(disk_failure().what());
  throw disk_failure();
}

void PartFile::finish_unless_taken(uint64_t size, timespec time, const std::string& name) {
  if (::ftruncate(file_.number(), static_cast<off_t>(size)) != 0) throw disk_failure();
  set_time(time);
  if (rename_unless_taken(folder_, name_, name)) return;
  if (errno == EEXIST)
    throw Failure(kNotWritten, fmt::format("{}: something else was created there in the meantime", whole_));
  throw disk_failure();
}

void PartFile::discard() {
  ::unlinkat(folder_.number(), name_.c_str(), 0);
}

std::string short_digest(std::string_view text) {
  return remote::sha256_hex(text).substr(0, kShortDigest);
}

std::string part_name(const std::string& path, uint64_t size, timespec time) {
  const std::string what = fmt::format("{}\n{}\n{}\n{}", last_name(path), size, time.tv_sec, time.tv_nsec);
  return fmt::format(".{}{}", short_digest(what), kPartEnding);
}

std::string planned_part_name(const std::string& plan, size_t file) {
  return fmt::format(".{}-{}{}", plan, file, kPartEnding);
}

bool is_part_name(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kPartEnding)) return false;
  name.remove_prefix(1);
  name.remove_suffix(kPartEnding.size());
  const size_t digits = std::min(name.find_first_not_of("0123456789abcdef"), name.size());
  name.remove_prefix(digits);
  if (name.starts_with('-')) name.remove_prefix(1);
  return digits == kShortDigest && name.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace plainfs
