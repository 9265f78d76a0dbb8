#include "formats/containers/hdf5/process/attributes_ahead.h"

#include <algorithm>

namespace plainfs::hdf5 {
namespace {

constexpr size_t kGrowth = 4;

}  // namespace

void AttributesAhead::turn_to(uint64_t file) {
  if (file == file_) return;
  file_ = file;
  objects_.clear();
  next_ = 0;
  together_ = 1;
  kept_.clear();
}

void AttributesAhead::listed(uint64_t file, const std::vector<uint64_t>& objects) {
  const MutexLock lock(mutex_);
  turn_to(file);
  if (objects_.size() + objects.size() > kMaxListed) objects_.clear();
  if (objects_.empty()) next_ = 0;
  objects_.insert(objects_.end(), objects.begin(), objects.end());
}

std::optional<FoundAttributes> AttributesAhead::find(uint64_t file, uint64_t object) {
  const MutexLock lock(mutex_);
  if (file != file_) return std::nullopt;
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) { return each.object == object; });
  if (found == kept_.end()) return std::nullopt;
  return found->found;
}

std::vector<uint64_t> AttributesAhead::with_next(uint64_t file, uint64_t object) {
  const MutexLock lock(mutex_);
  turn_to(file);
  if (next_ >= objects_.size() || objects_[next_] != object) {
    const auto found = std::find(objects_.begin(), objects_.end(), object);
    if (found == objects_.end()) return {object};
    next_ = static_cast<size_t>(found - objects_.begin());
    together_ = 1;
  }
  const size_t count = std::min(together_, objects_.size() - next_);
  const auto first = objects_.begin() + static_cast<ptrdiff_t>(next_);
  next_ += count;
  together_ = std::min(together_ * kGrowth, kMaxTogether);
  return {first, first + static_cast<ptrdiff_t>(count)};
}

void AttributesAhead::keep(uint64_t file, const std::vector<uint64_t>& objects,
                           const std::vector<FoundAttributes>& found) {
  const MutexLock lock(mutex_);
  if (file != file_) return;
  for (size_t i = 0; i < found.size(); ++i)
    if (!found[i].error || !is_transient(*found[i].error)) kept_.push_back({objects[i], found[i]});
  while (kept_.size() > 2 * kMaxTogether) kept_.pop_front();
}

}  // namespace plainfs::hdf5
