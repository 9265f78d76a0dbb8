#include "formats/core/base/used_sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <functional>
#include <memory>
#include <string_view>

#include "cache/request.h"
#include "formats/core/base/bytes.h"
#include "formats/core/base/change_watch.h"
#include "formats/core/base/error.h"
#include "formats/core/base/folder_store.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/base/open_folder.h"

namespace plainfs {

namespace {

// Mixes the high bits of the hash into the low ones, which select the slot.
uint64_t key_of(std::string_view path) {
  uint64_t hash = fnv1a(path);
  hash ^= hash >> 32;
  return hash == 0 ? 1 : hash;
}

}  // namespace

bool PathFingerprints::matches(std::string_view path, uint64_t fingerprint, uint64_t metadata) {
  const auto folded = static_cast<uint32_t>(fingerprint ^ fingerprint >> 32);
  if (used_ * 8 >= keys_.size() * 7) make_room();
  const uint64_t key = key_of(path);
  const size_t slot = slot_of(key);
  if (keys_[slot] == key) return fingerprints_[slot] == folded;
  keys_[slot] = key;
  fingerprints_[slot] = folded;
  metadata_[slot] = static_cast<uint32_t>(metadata);
  ++used_;
  return true;
}

uint32_t PathFingerprints::metadata(std::string_view path) const {
  return metadata_[slot_of(key_of(path))];
}

void PathFingerprints::set_metadata(std::string_view path, uint64_t metadata) {
  if (knows(path)) metadata_[slot_of(key_of(path))] = static_cast<uint32_t>(metadata);
}

bool PathFingerprints::knows(std::string_view path) const {
  const uint64_t key = key_of(path);
  return !keys_.empty() && keys_[slot_of(key)] == key;
}

void PathFingerprints::clear() {
  keys_ = {};
  fingerprints_ = {};
  metadata_ = {};
  used_ = 0;
  has_forgotten_ = false;
}

// Returns the slot of `key`, or the free slot for it.
size_t PathFingerprints::slot_of(uint64_t key) const {
  const size_t mask = keys_.size() - 1;
  size_t slot = key & mask;
  while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
  return slot;
}

void PathFingerprints::make_room() {
  if (keys_.size() * 7 / 8 >= max_paths_) {
    std::fill(keys_.begin(), keys_.end(), 0);
    used_ = 0;
    has_forgotten_ = true;
    return;
  }
  // Allocates all three or none if memory is exhausted.
  std::vector<uint64_t> keys(keys_.empty() ? 64 : keys_.size() * 2);
  std::vector<uint32_t> values(keys.size()), metadata(keys.size());
  keys.swap(keys_);
  values.swap(fingerprints_);
  metadata.swap(metadata_);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == 0) continue;
    const size_t slot = slot_of(keys[i]);
    keys_[slot] = keys[i];
    fingerprints_[slot] = values[i];
    metadata_[slot] = metadata[i];
  }
}

namespace {

constexpr size_t kMaxNames = 100'000;
constexpr size_t kMaxUrls = 1000;  // a later session may have to ask a server for each

// File times are those of the kernel's last tick, 1 to 10 ms apart. Some file systems keep whole seconds, or
// two.
constexpr int64_t kTick = 20'000'000, kWholeSeconds = 2'000'000'000;  // nanoseconds

constexpr char kAbsent[] = "absent";

int64_t nanoseconds(timespec time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The latest time of a change, extended by the interval in which a later change would look the same. The time
// of modification can be set freely, so the time of the last change counts, unless only metadata have
// changed.
struct Latest {
  int64_t changed = INT64_MIN;  // nanoseconds

  void see(int64_t time) {
    changed = std::max(changed, time + (time % 1'000'000'000 == 0 ? kWholeSeconds : kTick));
  }
};

// Separates the three parts of a stamp: the identity of a file or folder, its times of the last change, and
// the metadata that explain different times.
constexpr char kBetweenParts = '|';

std::string file_stamp(const struct stat& status) {
  return fmt::format("{0} {1} {2}{3}{4}{3}{5:o} {6} {7} {8}", status.st_size,
                     nanoseconds(modified_time(status)), status.st_ino, kBetweenParts,
                     nanoseconds(changed_time(status)), status.st_mode, status.st_uid, status.st_gid,
                     status.st_nlink);
}

// A sum over all entries of a folder, independent of their order.
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
        changes_[i] += mixed(h, static_cast<uint64_t>(nanoseconds(changed_time(status))));
        uint64_t explained = mixed(h, status.st_mode);
        for (const uint64_t value :
             {uint64_t{status.st_uid}, uint64_t{status.st_gid}, uint64_t{status.st_nlink}})
          explained = mixed(explained, value);
        explanations_[i] += explained;
      }
      sums_[i] += h;
    }
    ++count_;
  }
  std::string text() const {
    return fmt::format("{0} {1:016x}{2:016x}{3}{4:016x}{5:016x}{3}{6:016x}{7:016x}", count_, sums_[0],
                       sums_[1], kBetweenParts, changes_[0], changes_[1], explanations_[0], explanations_[1]);
  }

 private:
  uint64_t count_ = 0;
  uint64_t sums_[2] = {}, changes_[2] = {}, explanations_[2] = {};
};

// Returns the stamp of a file, or of a folder without its content; nullopt if the system denies access.
std::optional<std::string> own_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return file_stamp(status);
  return is_absence(errno) ? std::optional<std::string>(kAbsent) : std::nullopt;
}

std::string_view part_of(std::string_view stamp, size_t number) {
  for (; number > 0 && !stamp.empty(); --number)
    stamp.remove_prefix(std::min(stamp.find(kBetweenParts), stamp.size() - 1) + 1);
  return stamp.substr(0, stamp.find(kBetweenParts));
}

// Returns the time of the last change in the stamp of a file or of a folder itself; nullopt if it has none.
std::optional<int64_t> change_in(std::string_view stamp) {
  const std::string_view part = part_of(stamp, 1);
  int64_t time = 0;
  const auto parsed = std::from_chars(part.data(), part.data() + part.size(), time);
  return parsed.ec == std::errc() && parsed.ptr == part.data() + part.size() ? std::optional(time)
                                                                             : std::nullopt;
}

// The relation of a file in a folder to the version that was used.
enum class Use {
  kUnused,
  kAsUsed,
  kOtherMetadata,  // only its metadata differ
  kOtherwise,      // its content is not what was used
};
using UseOf = std::function<Use(const std::string& path, const struct stat& status)>;

// Returns nullopt if the system denies access, or a file is no longer what was used.
std::optional<std::string> folder_stamp(const std::string& path, const UseOf& use_of, Latest& latest) {
  const OpenFolder directory(::opendir(path.c_str()));
  if (!directory) return is_absence(errno) ? std::optional<std::string>(kAbsent) : std::nullopt;
  FolderSum sum;
  while (const dirent* const entry = next_entry(directory)) {
    check_cancelled();
    struct stat of_entry {};
    if (::fstatat(::dirfd(directory.get()), entry->d_name, &of_entry, 0) != 0 && !is_absence(errno))
      return std::nullopt;
    if (S_ISREG(of_entry.st_mode) && use_of) {
      const Use use = use_of(path + entry->d_name, of_entry);
      if (use == Use::kOtherwise) return std::nullopt;
      if (use == Use::kAsUsed) latest.see(nanoseconds(changed_time(of_entry)));
      if (use == Use::kOtherMetadata) latest.see(nanoseconds(modified_time(of_entry)));
    }
    sum.add(entry->d_name, of_entry);
  }
  if (errno != 0) return std::nullopt;
  return sum.text();
}

std::optional<std::string> stamp_now(const std::string& name, const UseOf& use_of, Latest& latest) {
  return name.ends_with('/') ? folder_stamp(name, use_of, latest) : own_stamp(name);
}

std::string folder_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return {};
  return path.ends_with('/') ? path : path + "/";
}

}  // namespace

bool is_same_source(const SourceStamp& then, std::string_view now) {
  if (then.stamp == now) return true;
  return !is_url(then.name) && part_of(then.stamp, 0) == part_of(now, 0) &&
         part_of(then.stamp, 2) != part_of(now, 2);
}

Error without_stamps(const std::vector<std::string>& stores) {
  static constexpr char kWritten[] = "the store was written to during the scan or just before";
  const auto is_remote = [](const std::string& store) { return is_url(store); };
  if (std::none_of(stores.begin(), stores.end(), is_remote)) return Error(Errc::changed, kWritten);
  const std::string of_objects = fmt::format(
      "the versions of its objects cannot be determined: the server sends no strong ETags, or it lists no "
      "objects and the store has more than {}, or one of them changed",
      kMaxUrls);
  if (std::all_of(stores.begin(), stores.end(), is_remote)) return unsupported("{}", of_objects);
  return Error(Errc::changed, fmt::format("of one of the stores, {}; or {}", of_objects, kWritten));
}

UsedSources::UsedSources(Sources& sources, const std::string& store, timespec opened)
    : sources_(sources), opened_(opened) {
  add_store(store);
}

void UsedSources::add_store(const std::string& store) {
  if (std::string folder = folder_at(store); !folder.empty()) folders_.push_back(std::move(folder));
}

bool UsedSources::is_in_folder(const std::string& location) const {
  return std::any_of(folders_.begin(), folders_.end(),
                     [&](const std::string& folder) { return location.starts_with(folder); });
}

// Records a location before it is used, so that it is known whatever happens. For a location inside a file,
// records the file.
void UsedSources::note(const std::string& location) {
  const std::optional<std::string> host = inside().host_of(location);
  const std::string& source = host ? *host : location;
  if (is_url(source)) return note_remote(source);
  note_one(source);
}

void UsedSources::note_one(const std::string& location) {
  const bool is_inside = is_in_folder(location);
  const size_t length = is_inside ? location.rfind('/') + 1 : location.size();
  const std::string_view name = std::string_view(location).substr(0, length);
  {
    const MutexLock lock(mutex_);
    if (name == last_noted_ || are_too_many_) return;
    last_noted_ = name;
    if (used_.contains(last_noted_)) return;
  }
  std::string its_name(name);
  // A source that cannot be examined must not match a later state.
  std::string first = own_stamp(its_name).value_or("");
  const MutexLock lock(mutex_);
  if (are_too_many_) return;
  used_.emplace(std::move(its_name), std::move(first));
  if (used_.size() <= kMaxNames) return;
  are_too_many_ = true;
  used_.clear();
}

void UsedSources::note_remote(const std::string& url) {
  const MutexLock lock(mutex_);
  if (url.ends_with('/')) remote_folders_.insert(url);
  if (url.ends_with('/')) return;
  if (are_objects_too_many_) return;
  objects_.insert(url);
  if (objects_.size() <= kMaxUrls) return;
  are_objects_too_many_ = true;
  objects_.clear();
}

// A remote folder. Notes each object that is opened.
class UsedSources::NotedFolder : public KeyStore {
 public:
  NotedFolder(KeyStorePtr folder, UsedSources& sources)
      : KeyStore(folder->location()), folder_(std::move(folder)), sources_(sources) {}

  bool is_remote() const override { return folder_->is_remote(); }
  bool is_listable() const override { return folder_->is_listable(); }
  ValuePtr open(const std::string& key) const override {
    sources_.note(key.empty() ? location() : location() + "/" + key);
    return folder_->open(key);
  }
  void expect_sizes(const std::string& folder, uint64_t bytes) const override {
    folder_->expect_sizes(folder, bytes);
  }
  bool has_folder(const std::string& folder) const override { return folder_->has_folder(folder); }
  std::vector<Entry> list(const std::string& folder) const override { return folder_->list(folder); }
  std::vector<std::string> folders(const std::string& folder) const override {
    return folder_->folders(folder);
  }

 private:
  const KeyStorePtr folder_;
  UsedSources& sources_;
};

std::vector<std::string> UsedSources::names() {
  std::vector<std::string> names;
  const MutexLock lock(mutex_);
  for (const auto& [name, first] : used_)
    if (first != kAbsent) names.push_back(name);
  for (const std::string& url : objects_) names.push_back(url);
  return names;
}

FilePtr UsedSources::open_if_exists(const std::string& location) {
  note(location);
  FilePtr file = sources_.open_if_exists(location);
  if (file && is_in_folder(location)) {
    const auto* const local = dynamic_cast<const LocalFile*>(file.get());
    const MutexLock lock(mutex_);
    fingerprints_.matches(location, file->fingerprint(), local ? local->metadata() : 0);
  }
  return file;
}

KeyStorePtr UsedSources::open_folder(const std::string& location) {
  if (is_url(location)) {
    note_remote(location + "/");
    return std::make_shared<const NotedFolder>(sources_.open_folder(location), *this);
  }
  if (const auto place = inside().find_folder(location)) {
    note(location + "/");
    return open_folder_inside(location, *place, *this);
  }
  return open_folder_store(location, *this);
}

EntryKind UsedSources::kind_of(const std::string& location) {
  if (!is_url(location)) note(location);
  const EntryKind kind = sources_.kind_of(location);
  if (is_url(location)) note_remote(kind == EntryKind::folder ? location + "/" : location);
  return kind;
}

// Returns whether the source `name` still has its stamp `first`, apart from its metadata.
bool UsedSources::is_as_first(const std::string& name, const std::string& first) {
  const std::optional<std::string> now = own_stamp(name);
  if (!now || part_of(*now, 0) != part_of(first, 0)) return false;
  if (is_same_source({name, first}, *now)) return true;
  struct stat status {};
  return ::stat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         sources_.is_unwritten(status, metadata_mark(status));
}

// Returns the stamps of the objects of servers. A folder that has a stamp stands for all objects below it.
std::optional<std::vector<SourceStamp>> UsedSources::remote_stamps() {
  std::set<std::string> objects, folders;
  bool are_all = false;
  {
    const MutexLock lock(mutex_);
    objects = objects_;
    folders = remote_folders_;
    are_all = !are_objects_too_many_;
  }
  std::vector<SourceStamp> stamps;
  for (const std::string& folder : folders) {  // a folder comes before those inside it
    if (!stamps.empty() && folder.starts_with(stamps.back().name)) continue;
    if (std::optional<std::string> stamp = sources_.stamp(folder)) {
      stamps.push_back({folder, *std::move(stamp)});
      std::erase_if(objects, [&](const std::string& url) { return url.starts_with(folder); });
    } else if (!are_all) {
      return std::nullopt;
    }
  }
  for (const std::string& url : objects) {
    check_cancelled();
    std::optional<std::string> stamp = sources_.stamp(url);
    if (!stamp) return std::nullopt;
    stamps.push_back({url, *std::move(stamp)});
  }
  return stamps;
}

std::optional<std::vector<SourceStamp>> UsedSources::stamps() {
  std::unordered_map<std::string, std::string> used;
  {
    const MutexLock lock(mutex_);
    if (are_too_many_) return std::nullopt;
    used = used_;
  }
  std::optional<std::vector<SourceStamp>> of_objects = remote_stamps();
  if (!of_objects) return std::nullopt;
  std::vector<SourceStamp> stamps = *std::move(of_objects);
  Latest latest;
  const auto use_of = [this](const std::string& path, const struct stat& status) {
    uint32_t before = 0;
    {
      const MutexLock lock(mutex_);
      if (!fingerprints_.knows(path)) return fingerprints_.has_forgotten() ? Use::kAsUsed : Use::kUnused;
      if (!fingerprints_.matches(path, fingerprint_of(status))) return Use::kOtherwise;
      before = fingerprints_.metadata(path);
    }
    if (before == static_cast<uint32_t>(metadata_mark(status))) return Use::kAsUsed;
    return sources_.is_unwritten(status, before) ? Use::kOtherMetadata : Use::kOtherwise;
  };
  for (const auto& [name, first] : used) {
    check_cancelled();
    std::optional<std::string> stamp = stamp_now(name, use_of, latest);
    if (!stamp || !is_as_first(name, first)) return std::nullopt;
    if (const std::optional<int64_t> changed = change_in(first)) latest.see(*changed);
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
