#include "fs/index/index_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <thread>
#include <vector>

#include "formats/core/base/descriptor.h"
#include "formats/core/base/error.h"
#include "formats/core/base/host_path.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

constexpr std::string_view kExtension = ".sizes", kUnfinished = ".part";
constexpr std::string_view kTurn = ".turn";  // behind the name of a file: locked while it is replaced
constexpr auto kLongestTurn = std::chrono::seconds(10);
constexpr auto kBetweenTries = std::chrono::milliseconds(10);
constexpr size_t kLongestName = 100;
constexpr time_t kUnfinishedStays = 3600;  // seconds: after this, its writer is gone
constexpr time_t kUsedAgain = 3600;        // seconds for which a file counts as just used

std::string folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && value[0] == '/' ? value : std::string();
}

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

// Returns whether the open file is the one at that path.
bool is_at(const Descriptor& file, const std::string& path) {
  struct stat opened {
  }, found{};
  return ::fstat(file.number(), &opened) == 0 && ::lstat(path.c_str(), &found) == 0 &&
         opened.st_ino == found.st_ino && opened.st_dev == found.st_dev;
}

// Writes bytes to a new file.
void write_new(const std::string& path, ByteSpan bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) throw unreadable("{}: {}", path, reason_of(errno));
  int error = write_all(descriptor, as_text(bytes)) ? 0 : errno;
  // No fsync, which would delay the end of a mount: a file damaged by a power cut fails its checksum.
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0) return;
  ::unlink(path.c_str());
  throw unreadable("{}: {}", path, reason_of(error));
}

}  // namespace

std::string IndexFolder::default_path() {
  if (const std::string cache = folder_in("XDG_CACHE_HOME"); !cache.empty()) return cache + "/plainfs";
#ifdef __APPLE__
  constexpr std::string_view kCaches = "/Library/Caches/plainfs";
#else
  constexpr std::string_view kCaches = "/.cache/plainfs";
#endif
  if (std::string home = folder_in("HOME"); !home.empty()) return home.append(kCaches);
  return {};
}

std::string IndexFolder::file_of(std::string_view name, std::string_view key) const {
  std::string shown;
  for (const char c : name.substr(0, kLongestName)) shown += c == '/' || c == '\0' ? '_' : c;
  return fmt::format("{}/{}-{:016x}{}", path_, shown, fnv1a(key), kExtension);
}

std::unique_ptr<const IndexFile> IndexFolder::open(std::string_view name, std::string_view key) const {
  const std::string path = file_of(name, key);
  auto file = IndexFile::open(path, key);
  struct stat status {};
  if (file && ::stat(path.c_str(), &status) == 0 && ::time(nullptr) - status.st_mtime > kUsedAgain)
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return file;
}

void IndexFolder::write(std::string_view name, std::string_view key, ByteSpan bytes) const {
  static std::atomic<unsigned> number{0};
  make_folder();
  make_room(bytes.size());
  const std::string path = file_of(name, key);
  const std::string unfinished = fmt::format("{}.{}-{}{}", path, ::getpid(), ++number, kUnfinished);
  write_new(unfinished, bytes);
  if (::rename(unfinished.c_str(), path.c_str()) == 0) return;
  const int reason = errno;
  ::unlink(unfinished.c_str());
  throw unreadable("{}: {}", path, reason_of(reason));
}

IndexFolder::Turn::~Turn() {
  if (file_.number() >= 0) ::unlink(path_.c_str());  // while it is locked
}

IndexFolder::Turn IndexFolder::wait_for_turn(std::string_view name, std::string_view key) const {
  make_folder();
  std::string path = file_of(name, key).append(kTurn);
  const auto end = std::chrono::steady_clock::now() + kLongestTurn;
  while (std::chrono::steady_clock::now() < end) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.number() < 0) break;
    const bool is_locked = ::flock(file.number(), LOCK_EX | LOCK_NB) == 0;
    if (!is_locked && errno != EWOULDBLOCK) break;
    // The one before may have removed it in between.
    if (is_locked && is_at(file, path)) return {std::move(path), std::move(file)};
    if (!is_locked) std::this_thread::sleep_for(kBetweenTries);
  }
  return {};
}

void IndexFolder::remove(std::string_view name, std::string_view key) const {
  const std::string path = file_of(name, key);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw unreadable("{}: {}", path, reason_of(errno));
}

// Creates the folder, with access for its owner only, as it names the stores that the owner reads.
void IndexFolder::make_folder() const {
  if (!make_own_folder(path_)) throw unreadable("{}: {}", path_, reason_of(errno));
}

// Removes files so that `bytes` more fit. Files that cannot be examined or removed stay: another process has
// removed them, or they belong to another user.
void IndexFolder::make_room(uint64_t bytes) const {
  struct Held {
    time_t used;
    uint64_t size;
    std::string path;
  };
  std::vector<Held> held;
  uint64_t sum = bytes;
  const time_t now = ::time(nullptr);
  boost::system::error_code error;
  for (files::directory_iterator at(path_, error), end; !error && at != end; at.increment(error)) {
    const std::string path = at->path().string();
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (path.ends_with(kUnfinished) && now - status.st_mtime > kUnfinishedStays) ::unlink(path.c_str());
    if (path.ends_with(kTurn) && now - status.st_mtime > kUnfinishedStays) ::unlink(path.c_str());
    if (!path.ends_with(kExtension)) continue;
    held.push_back({status.st_mtime, static_cast<uint64_t>(status.st_size), path});
    sum += held.back().size;
  }
  std::sort(held.begin(), held.end(), [](const Held& a, const Held& b) { return a.used < b.used; });
  for (auto oldest = held.begin(); sum > max_bytes_ && oldest != held.end(); ++oldest)
    if (::unlink(oldest->path.c_str()) == 0) sum -= oldest->size;
}

}  // namespace plainfs
