#include "formats/core/sparse/entry_order.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/sparse/sorted.h"
#include "formats/core/text/number_loops.h"

namespace plainfs {

namespace {

constexpr uint64_t kIndicesAtOnce = 256 * 1024;
constexpr uint64_t kLongColumn = 32 * 1024;  // entries; of a longer column only the requested part is read

}  // namespace

EntryOrder::EntryOrder(SparseMatrix matrix, Context& context)
    : matrix_(std::move(matrix)),
      context_(context),
      minors_(matrix_.minors()),
      majors_(matrix_),
      cache_owner_(context.cache.new_owner()),
      known_(majors_.count() / 64 + 1) {}

EntryOrder::~EntryOrder() {
  context_.cache.drop(cache_owner_, cache_owner_ + 1);
}

std::vector<EntryOrder::Column> EntryOrder::unknown_columns(uint64_t first, uint64_t last) const {
  std::vector<Column> unknown;
  // Then even the pointers need not be read.
  if (known_entries_.load(std::memory_order_relaxed) == entries()) return unknown;
  majors_.visit(first, last, [&](uint64_t major, uint64_t begin, uint64_t end) {
    if (!is_known(major)) unknown.push_back({major, begin, end});
  });
  return unknown;
}

std::vector<uint64_t> EntryOrder::places(uint64_t first, uint64_t count) const {
  const std::vector<Column> unknown = unknown_columns(first, first + count);
  if (unknown.empty() || rise_as_stored(unknown)) return {};
  const auto [from, to] =
      widened(unknown, std::max(first, unknown.front().begin), std::min(first + count, unknown.back().end));
  const IndexRun<uint32_t> indices = read_unchecked_indices(from, to);
  return places_of(unknown, {first, count}, {from, indices.values()});
}

// Returns whether the store knows without decoding them that the indices of all these columns ascend.
bool EntryOrder::rise_as_stored(std::span<const Column> columns) const {
  std::vector<uint64_t> ends;
  for (const Column& column : columns) {
    if (!ends.empty() && column.begin != ends.back()) return false;
    ends.push_back(column.end);
  }
  if (matrix_.index->runs_rise(columns.front().begin, ends, minors_) != true) return false;
  for (const Column& column : columns) set_known(column);
  return true;
}

std::vector<uint64_t> EntryOrder::places(uint64_t first, uint64_t count, const Indices& indices) const {
  return places_of(unknown_columns(first, first + count), {first, count}, indices);
}

std::pair<uint64_t, uint64_t> EntryOrder::with_whole_columns(uint64_t first, uint64_t last) const {
  return widened(unknown_columns(first, last), first, last);
}

std::pair<uint64_t, uint64_t> EntryOrder::widened(std::span<const Column> unknown, uint64_t first,
                                                  uint64_t last) {
  uint64_t from = first, to = last;
  for (const Column& column : unknown) {
    if (column.end - column.begin > kLongColumn) continue;
    from = std::min(from, column.begin);
    to = std::max(to, column.end);
  }
  return {from, to};
}

std::vector<uint64_t> EntryOrder::places_of(std::span<const Column> unknown, const Wanted& wanted,
                                            const Indices& indices) const {
  const auto [first, count] = wanted;
  const uint64_t last = first + count;
  std::vector<uint64_t> places;
  for (const Column& column : unknown) {
    const auto [major, begin, end] = column;
    if (rises(column, indices)) {
      set_known(column);
      continue;
    }
    if (places.empty()) {
      places.resize(count);
      std::iota(places.begin(), places.end(), first);
    }
    const auto order = context_.cache.get<Order>(
        {cache_owner_, major}, [&] { return sorted(column.major, column.begin, column.end); });
    for (uint64_t i = std::max(begin, first); i < std::min(end, last); ++i)
      places[i - first] = order->places[i - begin];
  }
  return places;
}

IndexRun<uint32_t> EntryOrder::read_indices(uint64_t first, uint64_t last) const {
  return {*matrix_.index, first, last - first, minors_, matrix_.minor_word()};
}

IndexRun<uint32_t> EntryOrder::read_unchecked_indices(uint64_t first, uint64_t last) const {
  return IndexRun<uint32_t>::unchecked(*matrix_.index, first, last - first, minors_, matrix_.minor_word());
}

Elements EntryOrder::read_values(const std::vector<uint64_t>& places, uint64_t first, uint64_t count) const {
  const Array& values = *matrix_.value;
  if (places.empty()) return read_run(values, first, count);
  const auto [least, most] = std::minmax_element(places.begin(), places.end());
  const Elements all = read_run(values, *least, *most - *least + 1);
  const uint64_t size = values.dtype().packed_size();
  Elements elements;
  elements.count = places.size();
  elements.bytes.resize(checked_size(places.size(), size));
  if (!all.missing.empty()) elements.missing.resize(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const uint64_t from = places[i] - *least;
    std::memcpy(elements.bytes.data() + i * size, all.bytes.data() + from * size, size);
    if (!all.missing.empty()) elements.missing[i] = all.missing[from];
  }
  return elements;
}

// Returns whether the indices of a column ascend and lie inside the matrix. indices: some that are read
// already.
bool EntryOrder::rises(const Column& column, const Indices& indices) const {
  const auto [major, begin, end] = column;
  if (begin >= indices.first && end <= indices.first + indices.values.size()) {
    const std::span<const uint32_t> all = indices.values.subspan(begin - indices.first, end - begin);
    return rise_strictly(all) && all.back() < minors_;
  }
  // Each run begins with the last index of the one before. A single index is checked against the matrix too.
  for (uint64_t at = begin; at == begin || at + 1 < end; at += kIndicesAtOnce) {
    const uint64_t some = std::min(kIndicesAtOnce + 1, end - at);
    const IndexRun<uint32_t> run = read_indices(at, at + some);
    if (!rise_strictly(run.values())) return false;
  }
  return true;
}

EntryOrder::Order EntryOrder::sorted(uint64_t major, uint64_t begin, uint64_t end) const {
  const IndexRun<uint32_t> run = read_indices(begin, end);
  const std::span<const uint32_t> indices = run.values();
  Order order{sorted_places(indices, begin)};
  for (size_t i = 1; i < order.places.size(); ++i) {
    const uint32_t index = indices[order.places[i] - begin];
    if (indices[order.places[i - 1] - begin] == index)
      throw inexpressible(
          "R's and BPCells' sparse matrices cannot have repeated entries: {} {} occurs twice in {} {}",
          matrix_.minor_word(), index, matrix_.major_word(), major);
  }
  return order;
}

}  // namespace plainfs
