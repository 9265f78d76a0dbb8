// The columns of a sparse matrix (or rows, if stored by row) with the ranges of their entries. If there are
// very many pointers, only one in every few hundred is kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/core/sparse/lists.h"

namespace plainfs {

class SparseMajors {
 public:
  // Reads all pointers once. Throws damaged if the lists do not obey their rules (lists.h).
  explicit SparseMajors(const SparseMatrix& matrix);

  const Lists& lists() const { return lists_; }
  uint64_t count() const { return lists_.majors; }
  uint64_t entries() const { return entries_; }

  // Calls visit(major, begin, end) for each column that has any of the entries [first, last), in order;
  // [begin, end) are all its entries.
  template <class Visit>
  void visit(uint64_t first, uint64_t last, Visit&& visit) const {
    if (first >= last) return;
    const auto after = std::upper_bound(samples_.begin(), samples_.end(), first);
    uint64_t major = static_cast<uint64_t>(after - samples_.begin() - 1) * step_;
    // Visits the columns between these pointers. Returns whether there are more to visit.
    const auto visit_run = [&](std::span<const uint64_t> pointers) {
      size_t i = 0;
      for (; i + 1 < pointers.size() && pointers[i] < last; ++i) {
        const uint64_t begin = pointers[i], end = pointers[i + 1];
        if (begin < end && end > first) visit(major + i, begin, end);
      }
      major += i;
      return pointers[i] < last;
    };
    if (step_ == 1) {
      visit_run(std::span(samples_).subspan(major));
      return;
    }
    for (bool is_more = true; is_more && major < count();) {
      const uint64_t some = std::min(step_, count() - major);
      is_more = visit_run(Pointers(lists_, major, some).values());
    }
  }

 private:
  static constexpr uint64_t kMaxKept = 64 * 1024;  // a list of at most so many pointers is kept whole
  static constexpr uint64_t kBetweenSamples = 512;

  const Lists lists_;
  const uint64_t step_;
  uint64_t entries_ = 0;
  std::vector<uint64_t> samples_;  // pointers 0, step_, …
};

}  // namespace plainfs
