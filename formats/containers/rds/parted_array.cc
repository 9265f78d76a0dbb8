#include "formats/containers/rds/parted_array.h"

#include <algorithm>
#include <utility>

namespace plainfs::rds {

PartedArray::PartedArray(DType type, LongVector vector, uint64_t chunk, Context& context)
    : Array(type, {vector.count}),
      parts_(std::move(vector.parts)),
      chunk_(chunk),
      context_(context),
      cache_owner_(context.cache.new_owner()) {}

Elements PartedArray::read(const Box& box) const {
  check_inside(box, shape());
  Elements result = zero_elements(dtype(), 0);
  uint64_t at = box.origin[0];
  const uint64_t end = at + box.extent[0];
  while (at < end) {
    const size_t part = part_of(at);
    const auto elements = context_.cache.get<Elements>({cache_owner_, part}, [&] { return load(part); });
    const uint64_t skipped = at - parts_[part].first;
    const uint64_t some = std::min(end - at, elements->count - skipped);
    append(dtype(), result, *elements, skipped, some);
    at += some;
  }
  return result;
}

Shape PartedArray::chunk_shape() const {
  return {std::min(count(), chunk_)};
}

uint64_t PartedArray::elements_in(size_t part) const {
  return (part + 1 < parts_.size() ? parts_[part + 1].first : count()) - parts_[part].first;
}

size_t PartedArray::part_of(uint64_t element) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), element,
                                      [](uint64_t at, const VectorPart& part) { return at < part.first; });
  return static_cast<size_t>(after - parts_.begin()) - 1;
}

}  // namespace plainfs::rds
