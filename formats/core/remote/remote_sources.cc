#include "formats/core/remote/remote_sources.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <list>
#include <map>
#include <unordered_map>

#include "cache/mutex.h"
#include "cache/request.h"
#include "formats/core/base/location.h"
#include "formats/core/base/used_sources.h"
#include "formats/core/remote/disk_cache.h"
#include "formats/core/remote/http_client.h"
#include "formats/core/remote/object_listing.h"
#include "formats/core/remote/origin.h"
#include "formats/core/remote/remote_files.h"
#include "formats/core/remote/sha256.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/web_page.h"

namespace plainfs::remote {
namespace {

constexpr size_t kMaxFiles = 1024;  // files to keep open, besides those the disk keeps blocks of
constexpr size_t kMaxAbsent = 100'000;
// The bytes to request from an object before its size is known.
constexpr uint64_t kFirstBytes = 256 << 10;
constexpr uint64_t kLeastFirstBytes = 64 << 10, kMaxFirstBytes = 8 << 20;
constexpr size_t kMaxStamped = 20'000;       // objects of a folder with one stamp: twenty pages of a list
constexpr size_t kMaxStampedFolders = 1000;  // each may take a request
constexpr size_t kStampedTogether = 64;
constexpr size_t kFewEntries = 999;   // of a folder: one page of a list has more if it is not the last
constexpr size_t kMaxFolders = 4096;  // folders for which the size of objects is remembered

// Any of these objects identifies a folder as a store if it cannot be listed.
constexpr const char* kRootObjects[] = {"zarr.json", ".zmetadata", ".zgroup", ".zarray", "OBJECT", "version"};
// An object with all metadata of a Zarr store of version 2.
constexpr const char* kConsolidated = ".zmetadata";
// Objects that a format may leave out of a folder besides those.
constexpr const char* kOptionalObjects[] = {".zattrs"};

std::string folder_of(const std::string& location) {
  return location.substr(0, location.rfind('/'));
}

// "Wed, 21 Oct 2015 07:28:00 GMT": RFC 9110, section 5.6.7.
timespec modified_time_of(const std::string& text) {
  std::tm parts{};
  if (!::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts)) return {};
  return {::timegm(&parts), 0};
}

// Returns whether a store may be valid without the object at `location`, whatever its format.
bool is_optional(const std::string& location) {
  const auto is_name = [name = last_name(location)](const char* known) { return name == known; };
  return std::any_of(std::begin(kRootObjects), std::end(kRootObjects), is_name) ||
         std::any_of(std::begin(kOptionalObjects), std::end(kOptionalObjects), is_name);
}

// Returns whether the server sent a web page in reply to a request for the first bytes of an object.
bool is_web_page(RangeFetch& first) {
  constexpr uint64_t kLongest = 512;
  const uint64_t size = std::min(first.wait_for_all(), kLongest);
  return plainfs::is_web_page(as_text(ByteSpan(first.bytes(), size)));
}

using RemoteFilePtr = std::shared_ptr<const RemoteFile>;

class RemoteSources : public Sources {
 public:
  RemoteSources(std::string store, std::shared_ptr<Origin> origin, std::shared_ptr<HttpClient> client,
                std::unique_ptr<RemoteListing> listing, std::shared_ptr<DiskCache> disk,
                std::shared_ptr<BlockPool> pool, bool forbidden_is_absent, std::atomic<uint64_t>* bytes_read)
      : store_(std::move(store)),
        origin_(std::move(origin)),
        client_(std::move(client)),
        listing_(std::move(listing)),
        disk_(std::move(disk)),
        pool_(std::move(pool)),
        bytes_read_(bytes_read),
        forbidden_is_absent_(forbidden_is_absent) {}

  FilePtr open_if_exists(const std::string& location) override {
    if (const auto place = inside().find(location)) return place->tree->open(place->key);
    return open_object(location);
  }
  KeyStorePtr open_folder(const std::string& location) override {
    if (const auto place = inside().find_folder(location)) return open_folder_inside(location, *place, *this);
    check_inside(location);
    return open_remote_folder(location, *this, listing());
  }
  EntryKind kind_of(const std::string& location) override;
  FilePtr look_into(const std::string& location) override { return open_if_exists(location); }
  void expect_sizes(const std::string& location, uint64_t bytes) override;
  timespec modified(const std::string& location) override;
  const Containment& bounds() const override { return bounds_; }
  void will_stamp(const std::vector<SourceStamp>& known) override;
  std::optional<std::string> stamp(const std::string& name) override;
  void clear() override;

 private:
  using FilePtrs = std::list<std::pair<std::string, RemoteFilePtr>>;

  // Returns null if nothing can be listed.
  RemoteListing* listing();
  void check_inside(const std::string& location) const;
  RemoteFilePtr open_object(const std::string& location);
  RemoteFilePtr find(const std::string& location);
  uint64_t opening_now();
  RemoteFilePtr keep(const std::string& location, RemoteFilePtr file, uint64_t opening);
  bool is_known_absent(const std::string& location);
  void remember_absent(const std::string& location, uint64_t opening);
  uint64_t expected_size(std::string folder) const REQUIRES(mutex_);
  uint64_t first_bytes(const std::string& location);
  std::shared_ptr<RemoteObject> object_at(const std::string& location);
  RemoteFilePtr file_of(std::shared_ptr<RemoteObject> object, std::shared_ptr<RangeFetch> first);
  bool is_in_folder(const std::string& location) const;
  bool stands_for_absent(const RemoteObject& refused) const;
  RemoteFilePtr ask_for(const std::string& location, bool* may_be_folder);
  RemoteFilePtr ask_for_whole(const RemoteObject& refused);
  std::optional<std::string> stamp_of_folder(const std::string& folder);
  EntryKind kind_of_root();
  bool has_listed_objects();
  bool is_page_of_folder(const File& file);
  EntryKind kind_of_bucket();
  bool is_consolidated_zarr();
  bool has_root_object(const std::string& folder);

  const std::string store_;
  const Containment bounds_;
  const std::shared_ptr<Origin> origin_;
  const std::shared_ptr<HttpClient> client_;
  const std::unique_ptr<RemoteListing> listing_;  // null: the service lists nothing
  const std::shared_ptr<DiskCache> disk_;         // null: nothing is kept on a disk
  const std::shared_ptr<BlockPool> pool_;
  std::atomic<uint64_t>* const bytes_read_;

  const bool forbidden_is_absent_;
  // All are relaxed. The first one is set before the store can name other locations.
  std::atomic<bool> is_object_{false};
  // Whether objects that do not exist have been found to be answered with 403, or with a web page.
  std::atomic<bool> may_forbid_absent_{false}, may_send_pages_{false};
  Mutex mutex_;
  uint64_t opening_ GUARDED_BY(mutex_) = 0;  // one more for each time that the store was opened again
  bool may_list_ GUARDED_BY(mutex_) = true;
  FilePtrs files_ GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<std::string, FilePtrs::iterator> by_location_ GUARDED_BY(mutex_);
  PathFingerprints fingerprints_ GUARDED_BY(mutex_);
  PathFingerprints absent_ GUARDED_BY(mutex_){kMaxAbsent};
  // The size of the latest object in each folder, and what expect_sizes() announced.
  std::map<std::string, uint64_t> usual_size_ GUARDED_BY(mutex_), expected_size_ GUARDED_BY(mutex_);
  timespec modified_ GUARDED_BY(mutex_){};  // of the store, if it is one object
};

// Throws unless the location is inside the store. A store may name other locations. Only those below the
// store are requested, or below its folder if the store is one object, and never a file of this machine.
void RemoteSources::check_inside(const std::string& location) const {
  const bool may_be_beside = is_object_.load(std::memory_order_relaxed);
  const bool is_beside =
      may_be_beside && !is_in(location, store_) && folder_of(store_).size() > store_.find("://") + 2;
  const std::string place = is_beside ? folder_of(store_) : store_;
  const std::string rest = is_in(location, place) ? location.substr(place.size()) + "/" : "";
  if (rest.empty() || rest.find("/../") != rest.npos || rest.find('\0') != rest.npos)
    throw unreadable("{}: outside the store {}", location, store_);
}

RemoteListing* RemoteSources::listing() {
  const MutexLock lock(mutex_);
  return may_list_ ? listing_.get() : nullptr;
}

RemoteFilePtr RemoteSources::find(const std::string& location) {
  const MutexLock lock(mutex_);
  const auto found = by_location_.find(location);
  if (found == by_location_.end()) return nullptr;
  files_.splice(files_.begin(), files_, found->second);
  return found->second->second;
}

// Returns a number to pass to keep() and remember_absent() with what a server replies from now on.
uint64_t RemoteSources::opening_now() {
  const MutexLock lock(mutex_);
  return opening_;
}

// Throws changed if the store was opened again since `opening`: the object may be one of before.
RemoteFilePtr RemoteSources::keep(const std::string& location, RemoteFilePtr file, uint64_t opening) {
  FilePtrs closed;  // destroyed after the lock
  const MutexLock lock(mutex_);
  if (opening != opening_) throw changed(location);
  if (const auto found = by_location_.find(location); found != by_location_.end())
    return found->second->second;
  if (absent_.knows(location) || !fingerprints_.matches(location, file->fingerprint()))
    throw changed(location);
  if (location == store_) is_object_.store(true, std::memory_order_relaxed);
  if (files_.size() >= (disk_ ? disk_->max_open() : kMaxFiles)) {
    by_location_.erase(files_.back().first);
    closed.splice(closed.begin(), files_, std::prev(files_.end()));
  }
  files_.emplace_front(location, file);
  by_location_.emplace(location, files_.begin());
  if (location != store_ && usual_size_.size() < kMaxFolders) usual_size_[folder_of(location)] = file->size();
  return file;
}

bool RemoteSources::is_known_absent(const std::string& location) {
  const MutexLock lock(mutex_);
  return absent_.knows(location);
}

void RemoteSources::remember_absent(const std::string& location, uint64_t opening) {
  const MutexLock lock(mutex_);
  if (opening != opening_) throw changed(location);
  if (fingerprints_.knows(location)) throw changed(location);
  absent_.matches(location, 0);
}

void RemoteSources::expect_sizes(const std::string& location, uint64_t bytes) {
  const MutexLock lock(mutex_);
  if (expected_size_.size() < kMaxFolders) expected_size_[location] = bytes;
}

// Returns the size that was announced for the objects of a folder or of one above it, 0 if none was.
uint64_t RemoteSources::expected_size(std::string folder) const {
  for (; is_in(folder, store_); folder = folder_of(folder))
    if (const auto known = expected_size_.find(folder); known != expected_size_.end()) return known->second;
  return 0;
}

// Returns the number of bytes to request first, so that a chunk takes one request: the announced size, but
// not many times more than the size of the latest object in the same folder.
uint64_t RemoteSources::first_bytes(const std::string& location) {
  const MutexLock lock(mutex_);
  const std::string folder = folder_of(location);
  const auto usual = usual_size_.find(folder);
  const uint64_t expected = expected_size(folder);
  if (usual == usual_size_.end() && expected == 0) return kFirstBytes;
  if (usual == usual_size_.end()) return std::clamp(expected, kLeastFirstBytes, kMaxFirstBytes);
  const uint64_t likely =
      expected == 0 ? usual->second + usual->second / 4 : std::min(expected, 4 * usual->second);
  return std::clamp(likely, kLeastFirstBytes, kMaxFirstBytes);
}

std::shared_ptr<RemoteObject> RemoteSources::object_at(const std::string& location) {
  auto object = std::make_shared<RemoteObject>(origin_, location);
  if (disk_) {
    if (std::optional<Version> kept = disk_->version_of(origin_->address(location)))
      object->expect(std::move(*kept));
  }
  return object;
}

// Returns the file of an object. first: its first bytes, waited for here; null if nothing was requested.
RemoteFilePtr RemoteSources::file_of(std::shared_ptr<RemoteObject> object,
                                     std::shared_ptr<RangeFetch> first) {
  if (first && first->wait_for_all() == 0) first = nullptr;
  DiskBlocksPtr disk =
      disk_ ? disk_->open(origin_->address(object->location()), object->version().value()) : nullptr;
  const bool is_store = object->location() == store_;
  return std::make_shared<RemoteFile>(std::move(object), std::move(first), std::move(disk), pool_, is_store,
                                      bytes_read_);
}

// Returns null if the server reports that the object does not exist. may_be_folder: set if this returns null
// or throws, to whether a folder of that name may exist; may be null.
RemoteFilePtr RemoteSources::ask_for(const std::string& location, bool* may_be_folder) {
  auto object = object_at(location);
  auto first = std::make_shared<RangeFetch>(object, ByteRange{0, first_bytes(location)}, *client_);
  first->start();
  try {
    first->wait_for_all();
  } catch (const Error& error) {
    if (RemoteFilePtr whole = ask_for_whole(*object)) return whole;
    if (may_be_folder) *may_be_folder = object->may_be_folder();
    if (object->is_absent() || stands_for_absent(*object)) return nullptr;
    if (object->is_forbidden() && is_in_folder(location))
      throw unreadable(
          "{}, as some servers reply for an object that does not exist; to count it as absent: "
          "-o missing=403",
          error.what());
    throw;
  }
  if (is_in_folder(location) && is_web_page(*first)) {
    if (may_send_pages_.load(std::memory_order_relaxed) && is_optional(location)) return nullptr;
    throw unreadable("{}: the server sends a web page (HTML) in its place; it may not exist", location);
  }
  if (const auto version = object->version(); location == store_) {
    const MutexLock lock(mutex_);
    modified_ = modified_time_of(version->last_modified);
  }
  return file_of(std::move(object), std::move(first));
}

// Returns an object of a folder on a server without ranges (python3 -m http.server), fetched whole. Returns
// null if the object is large, is the store itself, or was refused for any other reason.
RemoteFilePtr RemoteSources::ask_for_whole(const RemoteObject& refused) {
  const uint64_t size = refused.size_without_ranges();
  if (size == 0 || size > kMaxFirstBytes || refused.location() == store_) return nullptr;
  auto object = object_at(refused.location());
  auto all = std::make_shared<RangeFetch>(object, ByteRange{0, size}, *client_);
  all->start();
  all->wait_for_all();
  return file_of(std::move(object), std::move(all));
}

// Returns whether a refusal is read as "this object does not exist".
bool RemoteSources::stands_for_absent(const RemoteObject& refused) const {
  if (!refused.is_forbidden() || !is_in_folder(refused.location())) return false;
  return forbidden_is_absent_ ||
         (may_forbid_absent_.load(std::memory_order_relaxed) && is_optional(refused.location()));
}

// Returns whether the location is one of the objects of a store that is a folder.
bool RemoteSources::is_in_folder(const std::string& location) const {
  return location != store_ && !is_object_.load(std::memory_order_relaxed);
}

RemoteFilePtr RemoteSources::open_object(const std::string& location) {
  check_inside(location);
  if (RemoteFilePtr file = find(location)) return file;
  if (is_known_absent(location)) return nullptr;
  const uint64_t opening = opening_now();
  RemoteFilePtr file;
  RemoteListing* const listed = listing();
  const std::optional<RemoteListing::Known> known = listed ? listed->known(location) : std::nullopt;
  if (!known) {
    file = ask_for(location, nullptr);
  } else if (known->kind == EntryKind::file && !known->version.etag.empty()) {
    file = file_of(std::make_shared<RemoteObject>(origin_, location, known->version), nullptr);
  } else if (known->kind == EntryKind::file) {
    file = ask_for(location, nullptr);
    if (!file) throw changed(location);  // it existed when it was listed
  }
  if (file) return keep(location, std::move(file), opening);
  remember_absent(location, opening);
  return nullptr;
}

bool RemoteSources::has_root_object(const std::string& folder) {
  const uint64_t opening = opening_now();
  std::vector<std::pair<std::shared_ptr<RemoteObject>, std::shared_ptr<RangeFetch>>> asked;
  for (const char* name : kRootObjects) {
    if (is_known_absent(folder + "/" + name)) continue;
    auto object = object_at(folder + "/" + name);
    auto fetch = std::make_shared<RangeFetch>(object, ByteRange{0, kFirstBytes}, *client_);
    fetch->start();
    asked.emplace_back(std::move(object), std::move(fetch));
  }
  bool any_exists = false, is_any_page = false, is_any_forbidden = false;
  std::optional<Error> why_not;  // the error of the first object that may or may not exist
  std::vector<std::string> doubtful;
  for (auto& [object, fetch] : asked) {
    const std::string location = object->location();
    try {
      fetch->wait_for_all();
      if (is_web_page(*fetch)) {
        is_any_page = true;
        doubtful.push_back(location);
        continue;
      }
      keep(location, file_of(object, std::move(fetch)), opening);
      any_exists = true;
    } catch (const Error& error) {
      if (object->is_absent()) {
        remember_absent(location, opening);
      } else if (object->is_forbidden() || object->is_page()) {
        (object->is_page() ? is_any_page : is_any_forbidden) = true;
        doubtful.push_back(location);
      }
      if (!object->is_absent() && !why_not) why_not = error;
    }
  }
  if (!any_exists && why_not) throw *why_not;
  if (!any_exists) return false;
  // An object of another format is refused beside one that is there: the server answers so for absent ones.
  for (const std::string& location : doubtful) remember_absent(location, opening);
  if (is_any_page) may_send_pages_.store(true, std::memory_order_relaxed);
  if (is_any_forbidden) may_forbid_absent_.store(true, std::memory_order_relaxed);
  return true;
}

// Returns the kind of a bucket, which may itself be a store.
EntryKind RemoteSources::kind_of_bucket() {
  constexpr size_t kMaxNames = 8;
  std::vector<Entry> entries;
  std::string why_not;
  if (RemoteListing* const listed = listing()) try {
      entries = listed->list(store_);
    } catch (const Error& error) {
      why_not = fmt::format("; {}", error.what());
      const MutexLock lock(mutex_);
      may_list_ = false;
    }
  const auto is_root_object = [](const Entry& entry) {
    return std::find(std::begin(kRootObjects), std::end(kRootObjects), entry.name) != std::end(kRootObjects);
  };
  bool is_store = std::any_of(entries.begin(), entries.end(), is_root_object);
  if (entries.empty()) try {
      is_store = has_root_object(store_);
    } catch (const Error& error) {
      if (why_not.empty()) why_not = fmt::format("; {}", error.what());
    }
  if (is_store) return EntryKind::folder;
  std::string names;
  for (size_t i = 0; i < std::min(kMaxNames, entries.size()); ++i)
    names += (i == 0 ? "; it has " : ", ") + entries[i].name;
  throw unsupported("a bucket; name a store in it: {}/NAME{}{}{}", store_, names,
                    entries.size() > kMaxNames ? ", …" : "", why_not);
}

// Returns whether the service lists objects in the store as a folder. False if it does not list.
bool RemoteSources::has_listed_objects() {
  RemoteListing* const listed = listing();
  if (!listed) return false;
  try {
    const std::optional<std::vector<Entry>> entries = listed->list_few(store_, kFewEntries);
    return !entries || !entries->empty();
  } catch (const Error&) {
    return false;
  }
}

// Returns whether the server sent the page of a folder that is a store in reply to a request for the store.
bool RemoteSources::is_page_of_folder(const File& file) {
  constexpr uint64_t kLongest = 512;
  const Bytes first = file.read_at(0, std::min(file.size(), kLongest));
  if (!plainfs::is_web_page(as_text(first))) return false;
  try {
    return has_root_object(store_);
  } catch (const Error&) {
    return false;
  }
}

// Returns whether a store with a name in ".zarr" has the consolidated metadata of Zarr's version 2. These
// take one request, and no other object is looked for then, as zarr.open_consolidated() does.
bool RemoteSources::is_consolidated_zarr() {
  const std::string location = store_ + "/" + kConsolidated;
  const uint64_t opening = opening_now();
  const auto is_used = [&](const char* name) { return find(store_ + "/" + name) != nullptr; };
  if (!lower_case(last_name(store_)).ends_with(".zarr") || is_known_absent(location) ||
      std::any_of(std::begin(kRootObjects), std::end(kRootObjects), is_used))
    return false;
  auto object = object_at(location);
  auto fetch = std::make_shared<RangeFetch>(object, ByteRange{0, kFirstBytes}, *client_);
  fetch->start();
  try {
    fetch->wait_for_all();
    if (is_web_page(*fetch)) return false;
    keep(location, file_of(object, std::move(fetch)), opening);
  } catch (const Error&) {
    if (object->is_absent()) remember_absent(location, opening);
    return false;  // whatever the fault is, the next requests meet it too
  }
  if (RemoteListing* const listed = listing()) try {
      listed->list_few(store_, kFewEntries);
    } catch (const Error&) {
      const MutexLock lock(mutex_);
      may_list_ = false;
    }
  // The ".zgroup" of the root is in the metadata.
  for (const char* const name : kRootObjects)
    if (name != std::string_view(kConsolidated) && name != std::string_view(".zgroup"))
      remember_absent(store_ + "/" + name, opening);
  return true;
}

// Returns the kind of the store's root: an object of that name, or a folder, which exists only by its
// objects.
EntryKind RemoteSources::kind_of_root() {
  const uint64_t opening = opening_now();
  std::optional<Error> why_not;
  bool may_be_folder = false, is_own_refusal = false;
  if (is_bucket(store_)) return kind_of_bucket();
  if (is_consolidated_zarr()) return EntryKind::folder;
  try {
    if (find(store_)) return EntryKind::file;
    // An empty object may stand for a folder (Azure's hierarchical namespace).
    if (RemoteFilePtr file = ask_for(store_, &may_be_folder);
        file && (file->size() > 0 || !has_listed_objects())) {
      if (is_page_of_folder(*file)) return EntryKind::folder;
      keep(store_, std::move(file), opening);
      return EntryKind::file;
    }
  } catch (const Error& error) {
    if (!may_be_folder) throw;
    why_not = error;
    is_own_refusal = true;
  }
  if (RemoteListing* const listed = listing()) {
    try {
      const std::optional<std::vector<Entry>> entries = listed->list_few(store_, kFewEntries);
      return entries && entries->empty() ? EntryKind::nothing : EntryKind::folder;
    } catch (const Error& error) {
      // public objects do not always allow public listing
      if (!why_not) why_not = error;
      const MutexLock lock(mutex_);
      may_list_ = false;
    }
  }
  try {
    if (has_root_object(store_)) return EntryKind::folder;
  } catch (const Error& error) {
    // A server that refuses to list the folder may have the objects in a way that cannot be read.
    const bool is_better =
        error.code() == Errc::unsupported && why_not && why_not->code() != Errc::unsupported;
    if (!is_own_refusal || is_better) throw;
  }
  if (why_not) throw *why_not;
  return EntryKind::nothing;
}

EntryKind RemoteSources::kind_of(const std::string& location) {
  if (const auto place = inside().find(location)) return place->tree->kind_of(place->key);
  check_inside(location);
  if (location == store_) return kind_of_root();
  // The folder of a store that is one object may have any size, so it is not listed.
  if (!is_in(location, store_) && !open_if_exists(location))
    return has_root_object(location) ? EntryKind::folder : EntryKind::nothing;
  if (!is_in(location, store_)) return EntryKind::file;
  if (RemoteListing* const listed = listing()) {
    const std::string_view name = last_name(location);
    for (const Entry& entry : listed->list(folder_of(location)))
      if (entry.name == name) return entry.kind;
    return EntryKind::nothing;
  }
  return open_if_exists(location) ? EntryKind::file : EntryKind::nothing;
}

timespec RemoteSources::modified(const std::string&) {
  const MutexLock lock(mutex_);
  return modified_;
}

// Returns a digest of the names and versions of all objects below the folder, as they are listed. Returns
// nullopt if the service lists nothing, a version is unknown, or there are too many objects.
std::optional<std::string> RemoteSources::stamp_of_folder(const std::string& folder) {
  RemoteListing* const listed = listing();
  if (!listed || !is_in(folder, store_)) return std::nullopt;
  std::vector<std::string> folders{folder};
  std::string digests;
  size_t objects = 0;
  for (size_t i = 0; i < std::min(folders.size(), kMaxStampedFolders); ++i) {
    check_cancelled();
    const std::optional<std::vector<Entry>> entries = listed->list_few(folders[i], kMaxStamped);
    if (!entries) return std::nullopt;
    for (const Entry& entry : *entries) {
      const std::string location = folders[i] + "/" + entry.name;
      if (entry.kind == EntryKind::folder) {
        folders.push_back(location);
        continue;
      }
      const std::optional<RemoteListing::Known> known = listed->known(location);
      if (++objects > kMaxStamped || !known || known->version.etag.empty()) return std::nullopt;
      digests += sha256_hex(fmt::format("{}\n{}\n{}", location, known->version.size, known->version.etag));
    }
  }
  if (folders.size() > kMaxStampedFolders) return std::nullopt;
  return fmt::format("{} objects {}", objects, sha256_hex(digests));
}

// Asks for objects that are not open yet, many at a time: whether their stamps are still true.
void RemoteSources::will_stamp(const std::vector<SourceStamp>& known) {
  std::vector<std::pair<std::shared_ptr<RemoteObject>, std::shared_ptr<RangeFetch>>> asked;
  const uint64_t opening = opening_now();
  const auto take_replies = [&] {
    for (auto& [object, fetch] : asked) {
      const std::string location = object->location();
      try {
        fetch->wait_for_all();
        keep(location, file_of(std::move(object), std::move(fetch)), opening);
      } catch (const Error&) {
        if (object && object->is_absent())
          remember_absent(location, opening);  // otherwise stamp() reports it
      }
    }
    asked.clear();
  };
  if (listing()) return;
  for (const SourceStamp& source : known) {
    const std::optional<Version> version = version_of_stamp(source.stamp);
    if (source.name.ends_with('/') || find(source.name) || is_known_absent(source.name)) continue;
    check_inside(source.name);
    auto object = object_at(source.name);
    if (version) object->expect(*version);
    auto fetch = std::make_shared<RangeFetch>(object, ByteRange{0, kLeastFirstBytes}, *client_);
    fetch->start();
    asked.emplace_back(std::move(object), std::move(fetch));
    if (asked.size() == kStampedTogether) take_replies();
  }
  take_replies();
}

// Sends no further request for an opened file: every other request confirms that it is still the same
// version.
std::optional<std::string> RemoteSources::stamp(const std::string& name) {
  try {
    if (name.ends_with('/')) return stamp_of_folder(name.substr(0, name.size() - 1));
    const RemoteFilePtr file = open_object(name);
    if (file) file->check_unchanged();
    return file ? file->stamp() : "absent";
  } catch (const Error&) {
    return std::nullopt;
  }
}

void RemoteSources::clear() {
  FilePtrs closed;  // destroyed after the lock
  const MutexLock lock(mutex_);
  ++opening_;
  by_location_.clear();
  closed.swap(files_);
  fingerprints_.clear();
  absent_.clear();
}

}  // namespace

std::unique_ptr<Sources> open_sources(const std::string& store, const RemoteOptions& options,
                                      ByteCache& cache, RemoteCounters& counters,
                                      std::atomic<uint64_t>* bytes_read, size_t stores) {
  auto client = std::make_shared<HttpClient>(counters, std::chrono::seconds(options.patience_seconds));
  std::shared_ptr<DiskCache> disk;
  if (!options.cache_folder.empty())
    disk = std::make_shared<DiskCache>(options.cache_folder, options.cache_bytes);
  auto pool = std::make_shared<BlockPool>(client, cache, stores);
  if (store.starts_with("http://") || store.starts_with("https://"))
    return std::make_unique<RemoteSources>(store, http_origin(store, options), std::move(client), nullptr,
                                           std::move(disk), std::move(pool), options.forbidden_is_absent,
                                           bytes_read);
  if (is_object_location(store)) {
    auto origin = object_origin(store, options, *client);
    auto listing = object_listing(store, origin, *client);
    return std::make_unique<RemoteSources>(store, std::move(origin), std::move(client), std::move(listing),
                                           std::move(disk), std::move(pool), options.forbidden_is_absent,
                                           bytes_read);
  }
  throw unsupported(
      "{}: unknown kind of URL, expected https://, http://, s3://, gs:// or az://; mount it with rclone or "
      "sshfs "
      "first",
      store);
}

void put_object(const std::string& location, const std::string& content, const RemoteOptions& options) {
  constexpr size_t kMaxReply = 64 << 10;
  RemoteCounters counters;
  HttpClient client(counters, std::chrono::seconds(options.patience_seconds));
  const auto origin = object_origin(location, options, client);
  answered([&] { return origin->put(location, content); }, *origin, client, kMaxReply);
}

}  // namespace plainfs::remote
