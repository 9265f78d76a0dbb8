#include "formats/core/base/used_sources.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <string_view>

#include "cache/request.h"
#include "formats/core/base/bytes.h"
#include "formats/core/base/error.h"
#include "formats/core/base/folder_store.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"

namespace plainfs {

namespace {

// With the high bits of the hash stirred into the low ones that choose the slot.
uint64_t key_of(std::string_view path) {
  uint64_t hash = fnv1a(path);
  hash ^= hash >> 32;
  return hash == 0 ? 1 : hash;
}

}  // namespace

bool PathFingerprints::matches(std::string_view path, uint64_t fingerprint) {
  const auto folded = static_cast<uint32_t>(fingerprint ^ fingerprint >> 32);
  if (used_ * 8 >= keys_.size() * 7) make_room();
  const uint64_t key = key_of(path);
  const size_t slot = slot_of(key);
  if (keys_[slot] == key) return fingerprints_[slot] == folded;
  keys_[slot] = key;
  fingerprints_[slot] = folded;
  ++used_;
  return true;
}

bool PathFingerprints::knows(std::string_view path) const {
  const uint64_t key = key_of(path);
  return !keys_.empty() && keys_[slot_of(key)] == key;
}

void PathFingerprints::clear() {
  keys_ = {};
  fingerprints_ = {};
  used_ = 0;
}

// Where key stands, or the free slot it would take.
size_t PathFingerprints::slot_of(uint64_t key) const {
  const size_t mask = keys_.size() - 1;
  size_t slot = key & mask;
  while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
  return slot;
}

void PathFingerprints::make_room() {
  if (keys_.size() * 7 / 8 >= most_paths_) {
    std::fill(keys_.begin(), keys_.end(), 0);
    used_ = 0;
    return;
  }
  // Both, or neither where there is no memory.
  std::vector<uint64_t> keys(keys_.empty() ? 64 : keys_.size() * 2);
  std::vector<uint32_t> values(keys.size());
  keys.swap(keys_);
  values.swap(fingerprints_);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == 0) continue;
    const size_t slot = slot_of(keys[i]);
    keys_[slot] = keys[i];
    fingerprints_[slot] = values[i];
  }
}

namespace {

constexpr size_t kMostNames = 100'000;
constexpr size_t kMostUrls = 64;  // a later session may have to ask a server for each

// File times are those of the kernel's last tick, 1 to 10 ms apart; some file systems keep whole seconds, or
// two.
constexpr int64_t kTick = 20'000'000, kWholeSeconds = 2'000'000'000;  // nanoseconds

constexpr char kAbsent[] = "absent";

int64_t nanoseconds(timespec time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The latest time at which something was changed, so far as a later change would not look the same. The time
// of modification can be set at will.
struct Latest {
  int64_t changed = INT64_MIN;  // nanoseconds

  void see(const struct stat& status) {
    const timespec time = changed_time(status);
    changed = std::max(changed, nanoseconds(time) + (time.tv_nsec == 0 ? kWholeSeconds : kTick));
  }
};

std::string file_stamp(const struct stat& status) {
  return fmt::format("{} {} {} {}", status.st_size, nanoseconds(modified_time(status)),
                     nanoseconds(changed_time(status)), status.st_ino);
}

// A sum over all that a folder holds, in whatever order it is listed.
class FolderSum {
 public:
  void add(std::string_view name, const struct stat& status) {
    for (size_t i = 0; i < 2; ++i) {
      uint64_t h = 1 + i;
      for (const char c : name) h = mixed(h, static_cast<unsigned char>(c));
      h = mixed(h, status.st_mode & S_IFMT);
      h = mixed(h, status.st_ino);
      if (S_ISREG(status.st_mode)) {
        h = mixed(h, static_cast<uint64_t>(status.st_size));
        h = mixed(h, static_cast<uint64_t>(nanoseconds(modified_time(status))));
        h = mixed(h, static_cast<uint64_t>(nanoseconds(changed_time(status))));
      }
      sums_[i] += h;
    }
    ++count_;
  }
  std::string text() const { return fmt::format("{} {:016x}{:016x}", count_, sums_[0], sums_[1]); }

 private:
  uint64_t count_ = 0;
  uint64_t sums_[2] = {};
};

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// What a file is, or a folder without what it holds; nullopt where the system does not let it be seen.
std::optional<std::string> own_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return file_stamp(status);
  return is_absence(errno) ? std::optional<std::string>(kAbsent) : std::nullopt;
}

// Whether what has that path is what it is to be.
using IsAsUsed = std::function<bool(const std::string& path, const struct stat& status)>;

// nullopt where the system does not let it be seen, or something is not as it is to be.
std::optional<std::string> folder_stamp(const std::string& path, const IsAsUsed& is_as_used, Latest& latest) {
  const std::unique_ptr<DIR, DirectoryCloser> directory(::opendir(path.c_str()));
  if (!directory) return is_absence(errno) ? std::optional<std::string>(kAbsent) : std::nullopt;
  struct stat status {};
  if (::fstat(::dirfd(directory.get()), &status) != 0) return std::nullopt;
  latest.see(status);
  FolderSum sum;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(directory.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    check_cancelled();
    struct stat of_entry {};
    if (::fstatat(::dirfd(directory.get()), entry->d_name, &of_entry, 0) != 0 && !is_absence(errno))
      return std::nullopt;
    if (S_ISREG(of_entry.st_mode)) {
      latest.see(of_entry);
      if (is_as_used && !is_as_used(path + entry->d_name, of_entry)) return std::nullopt;
    }
    sum.add(name, of_entry);
  }
  if (errno != 0) return std::nullopt;
  return sum.text();
}

std::optional<std::string> stamp_now(const std::string& name, const IsAsUsed& is_as_used, Latest& latest) {
  if (name.ends_with('/')) return folder_stamp(name, is_as_used, latest);
  struct stat status {};
  if (::stat(name.c_str(), &status) == 0) {
    latest.see(status);
    return file_stamp(status);
  }
  return is_absence(errno) ? std::optional<std::string>(kAbsent) : std::nullopt;
}

std::string folder_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return {};
  return path.ends_with('/') ? path : path + "/";
}

}  // namespace

UsedSources::UsedSources(Sources& sources, const std::string& store, timespec opened)
    : sources_(sources), folder_(folder_at(store)), opened_(opened) {}

// Before it is asked for, so that it is known whatever comes of it.
void UsedSources::note(const std::string& location) {
  const bool is_inside = !folder_.empty() && location.starts_with(folder_);
  const size_t length = is_inside ? location.rfind('/') + 1 : location.size();
  const std::string_view name = std::string_view(location).substr(0, length);
  {
    const MutexLock lock(mutex_);
    if (name == last_noted_ || are_too_many_) return;
    last_noted_ = name;
    if (used_.contains(last_noted_)) return;
  }
  std::string its_name(name);
  // What cannot be seen is not what it is found to be later.
  std::string first = is_url(name) ? std::string() : own_stamp(its_name).value_or("");
  const MutexLock lock(mutex_);
  if (are_too_many_) return;
  used_.emplace(std::move(its_name), std::move(first));
  if (used_.size() <= (is_url(name) ? kMostUrls : kMostNames)) return;
  are_too_many_ = true;
  used_.clear();
}

FilePtr UsedSources::open_if_exists(const std::string& location) {
  note(location);
  FilePtr file = sources_.open_if_exists(location);
  if (file && !folder_.empty() && location.starts_with(folder_)) {
    const MutexLock lock(mutex_);
    fingerprints_.matches(location, file->fingerprint());
  }
  return file;
}

bool UsedSources::is_as_used(const std::string& path, const struct stat& status) {
  const MutexLock lock(mutex_);
  return !fingerprints_.knows(path) || fingerprints_.matches(path, fingerprint_of(status));
}

KeyStorePtr UsedSources::open_folder(const std::string& location) {
  if (is_url(location)) {
    const MutexLock lock(mutex_);
    are_too_many_ = true;  // its objects are asked for one by one, past this
    used_.clear();
    return sources_.open_folder(location);
  }
  return open_folder_store(location, *this);
}

EntryKind UsedSources::kind_of(const std::string& location) {
  note(location);
  return sources_.kind_of(location);
}

std::optional<std::vector<SourceStamp>> UsedSources::stamps() {
  std::unordered_map<std::string, std::string> used;
  {
    const MutexLock lock(mutex_);
    if (are_too_many_) return std::nullopt;
    used = used_;
  }
  std::vector<SourceStamp> stamps;
  Latest latest;
  const auto as_used = [this](const std::string& path, const struct stat& status) {
    return is_as_used(path, status);
  };
  for (const auto& [name, first] : used) {
    check_cancelled();
    std::optional<std::string> stamp = is_url(name) ? sources_.stamp(name) : stamp_now(name, as_used, latest);
    if (!stamp || (!is_url(name) && own_stamp(name) != first)) return std::nullopt;
    stamps.push_back({name, *std::move(stamp)});
  }
  if (latest.changed >= nanoseconds(opened_)) return std::nullopt;
  return stamps;
}

std::optional<std::string> UsedSources::stamp(const std::string& name) {
  if (is_url(name)) return sources_.stamp(name);
  Latest latest;
  return stamp_now(name, nullptr, latest);
}

}  // namespace plainfs
