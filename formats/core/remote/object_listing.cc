#include "formats/core/remote/object_listing.h"

#include <algorithm>
#include <map>
#include <set>

#include "cache/cancellable_lock.h"
#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/origin.h"

namespace plainfs::remote {
namespace {

// The limit for one folder; a page has a thousand entries. Folders with more are chunks, which are not
// listed.
constexpr size_t kMaxEntries = 1'000'000;
// A page may have fewer entries than it could, or none. A list with this many pages does not end.
constexpr size_t kMaxPages = 10'000;
constexpr size_t kMaxPageBytes = 16 << 20;    // a thousand keys, each byte of them as %XX, are 3 MB
constexpr size_t kMaxNameBytes = 128 << 20;   // of one folder
constexpr size_t kMaxFolderBytes = 16 << 20;  // of a store that is listed whole
constexpr size_t kMaxKnownBytes = 256 << 20;  // of all folders; beyond it they are listed again
constexpr size_t kEntryBytes = 128;           // besides its name

struct Listed {
  std::map<std::string, Version> files;  // by name
  std::set<std::string> folders;
  size_t bytes = 0;  // approximate, for a folder listed on its own
};

std::vector<Entry> entries_of(const Listed& listed) {
  std::vector<Entry> entries;
  for (const auto& [name, version] : listed.files) entries.push_back({name, EntryKind::file});
  for (const std::string& name : listed.folders)
    if (!listed.files.contains(name)) entries.push_back({name, EntryKind::folder});
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

// Throws if the page has keys that were not requested. They would be misread, because names are what follows
// the prefix.
void check_page(const ObjectPage& page, const std::string& prefix, const std::string& delimiter) {
  const auto check = [&](const std::string& key) {
    if (!key.starts_with(prefix))
      throw unreadable("the server's list of objects has {}, expected objects in {}", key, prefix);
  };
  for (const ObjectPage::Object& object : page.objects) {
    check(object.key);
    if (!delimiter.empty() && object.key.find(delimiter, prefix.size()) != object.key.npos)
      throw unreadable("the server's list of objects has {}, expected objects directly in {}", object.key,
                       prefix);
  }
  for (const std::string& folder : page.prefixes) {
    check(folder);
    if (delimiter.empty() || folder.find(delimiter, prefix.size()) + delimiter.size() != folder.size())
      throw unreadable("the server's list of objects has {} as a folder in {}", folder, prefix);
  }
}

class ObjectListing : public RemoteListing {
 public:
  ObjectListing(std::string store, std::shared_ptr<ObjectOrigin> origin, HttpClient& client)
      : store_(std::move(store)), origin_(std::move(origin)), client_(client) {}

  std::vector<Entry> list(const std::string& location) override {
    return list_few(location, kMaxEntries + 1).value();
  }

  std::optional<std::vector<Entry>> list_few(const std::string& location, size_t most) override {
    once(
        "", [this]() REQUIRES(mutex_) { return is_begun_; }, [this] { list_all(); });
    const auto is_known = [&]() REQUIRES(mutex_) {
      return is_whole_ || folders_.contains(location) || is_in_no_folder(location + "/");
    };
    std::optional<std::vector<Entry>> entries = std::vector<Entry>();
    once(
        location,
        [&]() REQUIRES(mutex_) {
          if (!is_known()) return false;
          const auto known = folders_.find(location);
          if (known != folders_.end()) entries = entries_of(known->second);
          return true;
        },
        [&] {
          std::optional<Listed> listed = list_one(location, most);
          entries = listed ? std::optional(entries_of(*listed)) : std::nullopt;
          if (listed) remember(location, *std::move(listed));
        });
    return entries;
  }

  std::optional<Known> known(const std::string& location) override {
    const MutexLock lock(mutex_);
    if (location.size() <= store_.size()) return std::nullopt;
    const size_t slash = location.rfind('/');
    const auto folder = folders_.find(location.substr(0, slash));
    const std::string name = location.substr(slash + 1);
    if (folder == folders_.end())
      return is_whole_ || is_in_no_folder(location) ? std::optional(Known{EntryKind::nothing, {}})
                                                    : std::nullopt;
    if (const auto file = folder->second.files.find(name); file != folder->second.files.end())
      return Known{EntryKind::file, file->second};
    return Known{folder->second.folders.contains(name) ? EntryKind::folder : EntryKind::nothing, {}};
  }

 private:
  // Calls ask() unless is_known(), which is called under mutex_. Of several threads that need the same, one
  // asks, and the others wait for it and can be interrupted. Nothing else is waited for.
  template <class IsKnown, class Ask>
  void once(const std::string& what, const IsKnown& is_known, const Ask& ask) {
    std::shared_ptr<Mutex> turn;
    {
      const MutexLock lock(mutex_);
      if (is_known()) return;
      std::shared_ptr<Mutex>& known_turn = turns_[what];
      if (!known_turn) known_turn = std::make_shared<Mutex>();
      turn = known_turn;
    }
    const CancellableLock asking(*turn);
    {
      const MutexLock lock(mutex_);
      if (is_known()) return;
    }
    ask();
    const MutexLock lock(mutex_);
    turns_.erase(what);
  }

  // Returns whether a folder above the location was listed and does not have the next folder of its path.
  bool is_in_no_folder(const std::string& location) const REQUIRES(mutex_) {
    for (size_t slash = location.rfind('/'); slash != location.npos && slash > store_.size();) {
      const size_t above = location.rfind('/', slash - 1);
      const auto listed = folders_.find(location.substr(0, above));
      if (listed != folders_.end())
        return !listed->second.folders.contains(location.substr(above + 1, slash - above - 1));
      slash = above;
    }
    return false;
  }

  void remember(const std::string& location, Listed listed) {
    const MutexLock lock(mutex_);
    if (known_bytes_ > kMaxKnownBytes) {
      folders_.clear();
      known_bytes_ = 0;
    }
    known_bytes_ += listed.bytes + location.size();
    folders_.insert_or_assign(location, std::move(listed));
  }

  std::string prefix_of(const std::string& location) const {
    const std::string key = origin_->key_of(location);
    return key.empty() ? "" : key + "/";
  }

  ObjectPage page(const std::string& location, const std::string& delimiter,
                  const std::string& continuation) {
    try {
      const std::string prefix = prefix_of(location);
      ObjectPage page = origin_->page_of(answered(
          [&] { return origin_->list(prefix, delimiter, continuation); }, *origin_, client_, kMaxPageBytes));
      check_page(page, prefix, delimiter);
      return page;
    } catch (const Error& error) {
      throw error.at("listing " + location);
    }
  }

  // Lists the whole store, if it fits one page.
  void list_all() {
    const ObjectPage all = page(store_, "", "");
    std::map<std::string, Listed> folders;
    size_t bytes = 0;
    bool is_whole = all.continuation.empty();
    const std::string prefix = prefix_of(store_);
    for (size_t i = 0; is_whole && i < all.objects.size(); ++i) {
      add(folders, bytes, all.objects[i], prefix.size());
      is_whole = bytes <= kMaxFolderBytes;  // keys may add as many folders as they have bytes
    }
    const MutexLock lock(mutex_);
    is_begun_ = true;
    is_whole_ = is_whole;
    if (is_whole) folders_ = std::move(folders);
  }

  void add(std::map<std::string, Listed>& folders, size_t& bytes, const ObjectPage::Object& object,
           size_t prefix_size) const {
    if (object.key.size() <= prefix_size || object.key.ends_with('/')) return;  // represents the folder
    const std::string path = object.key.substr(prefix_size);
    std::string folder = store_;
    for (size_t at = 0;;) {
      const size_t slash = path.find('/', at);
      Listed& listed = folders[folder];
      bytes += folder.size() + kEntryBytes;
      if (slash == path.npos) {
        listed.files.emplace(path.substr(at), object.version);
        return;
      }
      listed.folders.insert(path.substr(at, slash - at));
      folder.append("/").append(path, at, slash - at);
      at = slash + 1;
    }
  }

  // Returns nullopt if there are more than `most` entries.
  std::optional<Listed> list_one(const std::string& location, size_t most) {
    const size_t prefix_size = prefix_of(location).size();
    Listed listed;
    std::string continuation;
    std::set<std::string> continuations;
    do {
      check_cancelled();
      ObjectPage next = page(location, "/", continuation);
      for (ObjectPage::Object& object : next.objects) {
        listed.bytes += object.key.size() + kEntryBytes;
        if (object.key.size() > prefix_size)
          listed.files.emplace(object.key.substr(prefix_size), std::move(object.version));
      }
      for (const std::string& prefix : next.prefixes) {
        listed.bytes += prefix.size() + kEntryBytes;
        if (prefix.size() > prefix_size + 1)
          listed.folders.insert(prefix.substr(prefix_size, prefix.size() - prefix_size - 1));
      }
      if (listed.files.size() + listed.folders.size() > most) return std::nullopt;
      if (listed.files.size() + listed.folders.size() > kMaxEntries)
        throw unsupported("listing {}: more than {} objects", location, kMaxEntries);
      if (listed.bytes > kMaxNameBytes)
        throw unsupported("listing {}: more than {} bytes of names", location, kMaxNameBytes);
      continuation = std::move(next.continuation);
      if (!continuation.empty() && !continuations.insert(continuation).second)
        throw unreadable("listing {}: the server repeats a page of its list of objects", location);
      if (continuations.size() >= kMaxPages)
        throw unreadable("listing {}: the server's list of objects has no end after {} pages", location,
                         kMaxPages);
    } while (!continuation.empty());
    return listed;
  }

  const std::string store_;
  const std::shared_ptr<ObjectOrigin> origin_;
  HttpClient& client_;
  Mutex mutex_;  // never held during a request
  // Held by the thread that lists the folder; "" = all folders.
  std::map<std::string, std::shared_ptr<Mutex>> turns_ GUARDED_BY(mutex_);
  bool is_begun_ GUARDED_BY(mutex_) = false;
  bool is_whole_ GUARDED_BY(mutex_) = false;                  // folders_ has every folder of the store
  std::map<std::string, Listed> folders_ GUARDED_BY(mutex_);  // by location
  size_t known_bytes_ GUARDED_BY(mutex_) = 0;                 // of folders_, if they were listed one by one
};

}  // namespace

std::unique_ptr<RemoteListing> object_listing(std::string store, std::shared_ptr<ObjectOrigin> origin,
                                              HttpClient& client) {
  return std::make_unique<ObjectListing>(std::move(store), std::move(origin), client);
}

}  // namespace plainfs::remote
