#include "fs/layout/entry_segments.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/text/number_loops.h"
#include "fs/layout/array_segment.h"

namespace plainfs {

namespace {

std::vector<uint32_t> gathered(const EntryOrder& order, const std::vector<uint64_t>& places) {
  const auto [least, most] = std::minmax_element(places.begin(), places.end());
  const IndexRun<uint32_t> all = order.read_indices(*least, *most + 1);
  std::vector<uint32_t> indices(places.size());
  for (size_t i = 0; i < places.size(); ++i) indices[i] = all.values()[places[i] - *least];
  return indices;
}

}  // namespace

IndexSegment::IndexSegment(std::shared_ptr<const LazyOrder> order, uint64_t entries, std::endian bytes)
    : order_(std::move(order)), bytes_(bytes), size_(checked_multiply(entries, 4)) {}

// Reads the indices without a copy if they are requested exactly as stored.
bool IndexSegment::read_in_place(const Wanted& wanted, uint64_t first, uint64_t count) const {
  const EntryOrder& order = order_->get();
  const Array& index = *order.matrix().index;
  const bool are_alike =
      index.dtype().is_integer() && index.dtype().size == 4 && bytes_ == std::endian::native;
  if (!are_alike || !are_whole_elements(wanted, 4) || !index.read_into(range(first, count), wanted.out))
    return false;
  return order.places(first, count, {first, {reinterpret_cast<const uint32_t*>(wanted.out.data()), count}})
      .empty();
}

void IndexSegment::read(const Wanted& wanted) const {
  const uint64_t first = wanted.offset / 4, last = divide_up(wanted.offset + wanted.out.size(), 4);
  if (read_in_place(wanted, first, last - first)) return;
  const EntryOrder& order = order_->get();
  const auto [begin, end] = order.with_whole_columns(first, last);
  const IndexRun<uint32_t> stored = order.read_unchecked_indices(begin, end);
  const std::vector<uint64_t> places = order.places(first, last - first, {begin, stored.values()});
  const std::vector<uint32_t> sorted = places.empty() ? std::vector<uint32_t>() : gathered(order, places);
  const std::span<const uint32_t> indices =
      places.empty() ? stored.values().subspan(first - begin, last - first) : sorted;
  read_elements(wanted, 4, [&](uint64_t from, uint64_t some, std::byte* out) {
    const std::span<const uint32_t> part = indices.subspan(from - first, some);
    if (bytes_ == std::endian::native)
      std::memcpy(out, part.data(), part.size_bytes());
    else
      convert(part, out, [](uint32_t index) { return __builtin_bswap32(index); });
  });
}

void IndexSegment::release(uint64_t begin, uint64_t end) const {
  passed_run(*order_->get().matrix().index, begin / 4, (end - begin) / 4);
}

ValueSegment::ValueSegment(std::shared_ptr<const LazyOrder> order, uint64_t entries, ElementForm form)
    : order_(std::move(order)), form_(form), size_(checked_multiply(entries, form.size)) {}

void ValueSegment::read(const Wanted& wanted) const {
  const EntryOrder& order = order_->get();
  const uint64_t first = wanted.offset / form_.size;
  const uint64_t count = divide_up(wanted.offset + wanted.out.size(), form_.size) - first;
  const Array& values = *order.matrix().value;
  const std::vector<uint64_t> places = order.places(first, count);
  if (places.empty() && !values.may_be_missing() && form_.is_as_in_memory(values.dtype()) &&
      are_whole_elements(wanted, form_.size) && values.read_into(range(first, count), wanted.out))
    return;
  const Elements elements = order.read_values(places, first, count);
  read_elements(wanted, form_.size, [&](uint64_t from, uint64_t some, std::byte* out) {
    form_.write(values.dtype(), elements, from - first, some, out);
  });
}

void ValueSegment::release(uint64_t begin, uint64_t end) const {
  passed_run(*order_->get().matrix().value, begin / form_.size, (end - begin) / form_.size);
}

}  // namespace plainfs
