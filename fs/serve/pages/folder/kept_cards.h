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
    if (::stat(kept->second.file.c_str(), &status) != 0 || !is_same(status, kept->second.status))
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
  static bool is_same(const struct stat& a, const struct stat& b) {
    const timespec time_a = modified_time(a), time_b = modified_time(b);
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
           time_a.tv_sec == time_b.tv_sec && time_a.tv_nsec == time_b.tv_nsec;
  }

  mutable Mutex mutex_;
  std::map<std::string, Kept> cards_ GUARDED_BY(mutex_);
};

}  // namespace plainfs::serve
