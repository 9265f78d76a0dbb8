#include "formats/containers/hdf5/kept_attributes.h"

#include <algorithm>

#include "formats/core/base/file.h"

namespace plainfs::hdf5 {
namespace {

constexpr size_t kMaxAttributesKept = 16;  // of one object
constexpr size_t kMaxTextKept = 256;
constexpr size_t kMaxItemsKept = 16;

bool is_short(const Json& value) {
  if (const auto* text = value.text()) return text->size() <= kMaxTextKept;
  if (const auto* list = value.list())
    return list->size() <= kMaxItemsKept && std::all_of(list->begin(), list->end(), [](const Json& item) {
             return !item.list() && !item.object() && is_short(item);
           });
  return !value.object();
}

}  // namespace

size_t KeptAttributes::place_of(uint64_t object) {
  return mixed(0, object) % kMaxKept;
}

std::shared_ptr<const Attributes> KeptAttributes::find(uint64_t object) const {
  const MutexLock lock(mutex_);
  const Kept& kept = kept_[place_of(object)];
  return kept.object == object ? kept.attributes : nullptr;
}

void KeptAttributes::keep(uint64_t object, const Attributes& attributes) {
  const bool is_kept = attributes.size() <= kMaxAttributesKept &&
                       std::all_of(attributes.begin(), attributes.end(), [](const Attribute& each) {
                         return each.known() && is_short(*each.known());
                       });
  if (!is_kept) return;
  Kept now{object, std::make_shared<const Attributes>(attributes)};
  const MutexLock lock(mutex_);
  std::swap(kept_[place_of(object)], now);  // frees the others after the lock
}

}  // namespace plainfs::hdf5
