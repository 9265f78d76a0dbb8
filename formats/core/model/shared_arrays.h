// The arrays of a store that are in use: each is one, however many views have looked it up, so that what one
// of them decodes is in the cache for the others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "cache/mutex.h"
#include "formats/core/model/array.h"

namespace plainfs {

// Thread-safe.
class SharedArrays {
 public:
  // The array that was opened as key and is still in use, else the one that open() gives; throws what that
  // throws. key: everything that the array is made from.
  ArrayPtr get(const std::string& key, const std::function<ArrayPtr()>& open);

 private:
  Mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const Array>> arrays_ GUARDED_BY(mutex_);
  size_t swept_at_ GUARDED_BY(mutex_) =
      64;  // arrays, of which those that are no longer in use are then forgotten
};

}  // namespace plainfs
