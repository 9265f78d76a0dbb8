// The cards of the stores of a folder, kept between requests: looking into hundreds of stores takes longer
// than a page may.
#pragma once

#include <sys/stat.h>

#include <map>
#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/base/modified_time.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// A cache of the cards of stores that are one file each. Thread-safe.
class KeptCards {
 public:
  // Returns the card kept for the store at `path` if its file is still the one that was examined.
  std::optional<StoreCard> find(const std::string& path) const {
    const MutexLock lock(mutex_);
    const auto kept = cards_.find(path);
    if (kept == cards_.end()) return std::nullopt;
    struct stat status {};
    if (::stat(kept->second.file.c_str(), &status) != 0 || !is_same_state(status, kept->second.status))
      return std::nullopt;
    return kept->second.card;
  }
  // file: the store's. status: from before it was examined.
  void keep(const std::string& path, const std::string& file, const struct stat& status,
            const StoreCard& card) {
    const MutexLock lock(mutex_);
    if (cards_.size() >= kMax) cards_.clear();
    cards_.insert_or_assign(path, Kept{file, status, card});
  }

 private:
  static constexpr size_t kMax = 10'000;
  struct Kept {
    std::string file;
    struct stat status;
    StoreCard card;
  };

  mutable Mutex mutex_;
  std::map<std::string, Kept> cards_ GUARDED_BY(mutex_);
};

}  // namespace plainfs::serve
