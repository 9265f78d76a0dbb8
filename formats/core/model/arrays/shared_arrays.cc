#include "formats/core/model/arrays/shared_arrays.h"

#include <algorithm>

#include "cache/mutex.h"

namespace plainfs {

ArrayPtr SharedArrays::get(const std::string& key, const std::function<ArrayPtr()>& open) {
  {
    const MutexLock lock(mutex_);
    const auto known = arrays_.find(key);
    if (known != arrays_.end())
      if (ArrayPtr array = known->second.lock()) return array;
  }
  ArrayPtr opened = open();  // may read, and may be called twice
  const MutexLock lock(mutex_);
  std::weak_ptr<const Array>& known = arrays_[key];
  if (ArrayPtr array = known.lock()) return array;
  known = opened;
  if (arrays_.size() >= swept_at_) {
    std::erase_if(arrays_, [](const auto& entry) { return entry.second.expired(); });
    swept_at_ = std::max<size_t>(64, 2 * arrays_.size());
  }
  return opened;
}

}  // namespace plainfs
