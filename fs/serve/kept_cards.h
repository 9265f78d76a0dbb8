// The cards of the stores of a folder, kept between requests: looking into hundreds of stores takes longer
// than a page may.
#pragma once

#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <string>

#include "cache/mutex.h"

namespace plainfs::serve {

// A store in a folder of stores.
struct StoreCard {
  std::string name;
  std::string href;
  std::string kind;
  std::string what;
  std::string error{};      // why it does not open; empty: it does
  std::string thumbnail{};  // generated HTML
  std::optional<uint64_t> size{};
  std::string date{};
};

// A cache of the cards of stores that are one file each. Thread-safe.
class KeptCards {
 public:
  // Returns the card of the store at `path` if it was kept while the file had this time.
  std::optional<StoreCard> find(const std::string& path, time_t modified) const {
    const MutexLock lock(mutex_);
    const auto kept = cards_.find(path);
    if (kept == cards_.end() || kept->second.modified != modified) return std::nullopt;
    return kept->second.card;
  }
  // Keeps a card unless the file was written so recently that it may change again within the same second.
  void keep(const std::string& path, time_t modified, const StoreCard& card) {
    if (modified + kSettled > std::time(nullptr)) return;
    const MutexLock lock(mutex_);
    if (cards_.size() >= kMost) cards_.clear();
    cards_.insert_or_assign(path, Kept{modified, card});
  }

 private:
  static constexpr time_t kSettled = 2;  // seconds
  static constexpr size_t kMost = 10'000;
  struct Kept {
    time_t modified;
    StoreCard card;
  };

  mutable Mutex mutex_;
  std::map<std::string, Kept> cards_ GUARDED_BY(mutex_);
};

}  // namespace plainfs::serve
