// The order of entries by their indices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace plainfs {

// Returns the places of the entries of one major in the order of their indices, counted from `first`. Entries
// with the same index keep their order.
template <class Index>
std::vector<uint64_t> sorted_places(std::span<const Index> indices, uint64_t first = 0) {
  std::vector<uint64_t> places(indices.size());
  std::iota(places.begin(), places.end(), first);
  std::stable_sort(places.begin(), places.end(),
                   [&](uint64_t a, uint64_t b) { return indices[a - first] < indices[b - first]; });
  return places;
}

}  // namespace plainfs
