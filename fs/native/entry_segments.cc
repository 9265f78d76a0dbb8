#include "fs/native/entry_segments.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "formats/core/base/checked.h"
#include "fs/native/array_segment.h"
#include "fs/text/array_runs.h"
#include "fs/text/number_loops.h"

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

IndexSegment::IndexSegment(std::shared_ptr<const LaterOrder> order, uint64_t entries, std::endian bytes)
    : order_(std::move(order)), bytes_(bytes), size_(checked_multiply(entries, 4)) {}

void IndexSegment::read(const Wanted& wanted) const {
  const uint64_t first = wanted.offset / 4, last = divide_up(wanted.offset + wanted.out.size(), 4);
  const EntryOrder& order = order_->get();
  const auto [begin, end] = order.with_whole_columns(first, last);
  const IndexRun<uint32_t> stored = order.read_indices(begin, end);
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

void IndexSegment::passed(uint64_t begin, uint64_t end) const {
  passed_run(*order_->get().matrix().index, begin / 4, (end - begin) / 4);
}

ValueSegment::ValueSegment(std::shared_ptr<const LaterOrder> order, uint64_t entries, ElementForm form)
    : order_(std::move(order)), form_(form), size_(checked_multiply(entries, form.size)) {}

void ValueSegment::read(const Wanted& wanted) const {
  const EntryOrder& order = order_->get();
  const uint64_t first = wanted.offset / form_.size;
  const uint64_t count = divide_up(wanted.offset + wanted.out.size(), form_.size) - first;
  const Elements elements = order.read_values(first, count);
  read_elements(wanted, form_.size, [&](uint64_t from, uint64_t some, std::byte* out) {
    form_.write(order.matrix().value->dtype(), elements, from - first, some, out);
  });
}

void ValueSegment::passed(uint64_t begin, uint64_t end) const {
  passed_run(*order_->get().matrix().value, begin / form_.size, (end - begin) / form_.size);
}

}  // namespace plainfs
