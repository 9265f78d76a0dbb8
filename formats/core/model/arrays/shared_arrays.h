// The arrays of a store that are in use. Views that look up the same array share one object, so that what one
// of them decodes is in the cache for the others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "cache/mutex.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs {

// A table of arrays. Thread-safe.
class SharedArrays {
 public:
  // Returns the array that was opened as `key` and is still in use, else the result of open(). Throws what
  // open throws. key: identifies everything the array is made from.
  ArrayPtr get(const std::string& key, const std::function<ArrayPtr()>& open);

 private:
  Mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const Array>> arrays_ GUARDED_BY(mutex_);
  size_t swept_at_ GUARDED_BY(mutex_) = 64;  // number of arrays at which those no longer in use are removed
};

}  // namespace plainfs
