// Notices of a session that are not errors: parts of a store that are left out of a file, or shown in another
// form than the stored one.
#pragma once

#include <new>
#include <string>
#include <unordered_set>
#include <vector>

#include "cache/mutex.h"

namespace plainfs {

// A list of distinct lines in the order of their first occurrence. Thread-safe.
class Notices {
 public:
  // A line is dropped if there is no memory for it.
  void add(const std::string& line) noexcept {
    try {
      const MutexLock lock(mutex_);
      const bool is_new = lines_.size() < kMaxLines && known_.insert(line).second;
      if (is_new) lines_.push_back(line);
    } catch (const std::bad_alloc&) {
      return;
    }
  }
  std::vector<std::string> lines() const {
    const MutexLock lock(mutex_);
    return lines_;
  }

 private:
  static constexpr size_t kMaxLines = 10000;

  mutable Mutex mutex_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> known_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
