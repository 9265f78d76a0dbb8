#include "fs/native/entry_order.h"

#include <algorithm>
#include <numeric>

#include "fs/text/index_run.h"

namespace plainfs {

namespace {

constexpr uint64_t kIndicesAtOnce = 256 * 1024;

bool rises_strictly(std::span<const uint64_t> indices) {
  bool rises = true;
  for (size_t i = 1; i < indices.size(); ++i) rises &= indices[i - 1] < indices[i];
  return rises;
}

}  // namespace

EntryOrder::EntryOrder(SparseMatrix matrix, Context& context)
    : matrix_(std::move(matrix)),
      context_(context),
      minors_(matrix_.by_row ? matrix_.columns : matrix_.rows),
      majors_(matrix_),
      cache_owner_(context.cache.new_owner()),
      known_(majors_.count() / 64 + 1) {}

EntryOrder::~EntryOrder() {
  context_.cache.drop(cache_owner_, cache_owner_ + 1);
}

std::vector<uint64_t> EntryOrder::places(uint64_t first, uint64_t count) const {
  struct Run {
    uint64_t major, begin, end;
  };
  const uint64_t last = first + count;
  std::vector<Run> unknown;
  majors_.visit(first, last, [&](uint64_t major, uint64_t begin, uint64_t end) {
    if (!is_known(major)) unknown.push_back({major, begin, end});
  });
  if (unknown.empty()) return {};
  // Columns that lie in the range as a whole are checked with what is read for it.
  const uint64_t from = std::max(first, unknown.front().begin), to = std::min(last, unknown.back().end);
  const IndexRun<uint64_t> indices(*matrix_.index, from, to - from, minors_,
                                   matrix_.by_row ? "column" : "row");
  std::vector<uint64_t> places;
  for (const auto& [major, begin, end] : unknown) {
    const bool is_inside = begin >= first && end <= last;
    if (is_inside ? rises_strictly(indices.values().subspan(begin - from, end - begin)) : rises(begin, end)) {
      set_known(major);
      continue;
    }
    if (places.empty()) {
      places.resize(count);
      std::iota(places.begin(), places.end(), first);
    }
    const auto order = context_.cache.get<Order>(
        {cache_owner_, major}, [&, m = major, b = begin, e = end] { return sorted(m, b, e); });
    for (uint64_t i = std::max(begin, first); i < std::min(end, last); ++i)
      places[i - first] = order->places[i - begin];
  }
  return places;
}

// Whether the indices of one column rise.
bool EntryOrder::rises(uint64_t begin, uint64_t end) const {
  // Each run begins with the last index of the one before; also one alone is held to the matrix.
  for (uint64_t at = begin; at == begin || at + 1 < end; at += kIndicesAtOnce) {
    const uint64_t some = std::min(kIndicesAtOnce + 1, end - at);
    const IndexRun<uint64_t> run(*matrix_.index, at, some, minors_, matrix_.by_row ? "column" : "row");
    if (!rises_strictly(run.values())) return false;
  }
  return true;
}

EntryOrder::Order EntryOrder::sorted(uint64_t major, uint64_t begin, uint64_t end) const {
  const IndexRun<uint64_t> run(*matrix_.index, begin, end - begin, minors_,
                               matrix_.by_row ? "column" : "row");
  const std::span<const uint64_t> indices = run.values();
  Order order;
  order.places.resize(indices.size());
  std::iota(order.places.begin(), order.places.end(), begin);
  std::sort(order.places.begin(), order.places.end(),
            [&](uint64_t a, uint64_t b) { return indices[a - begin] < indices[b - begin]; });
  for (size_t i = 1; i < order.places.size(); ++i) {
    const uint64_t index = indices[order.places[i] - begin];
    if (indices[order.places[i - 1] - begin] == index)
      throw damaged("R's sparse matrix cannot repeat an entry: {} {} is twice in {} {}",
                    matrix_.by_row ? "column" : "row", index, matrix_.by_row ? "row" : "column", major);
  }
  return order;
}

}  // namespace plainfs
