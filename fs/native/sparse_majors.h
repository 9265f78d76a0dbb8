// The columns (or rows, of a matrix stored by row) of a sparse matrix: where each one's entries are. Of the
// pointers only every few hundredth is kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/text/index_run.h"

namespace plainfs {

class SparseMajors {
 public:
  // Reads all pointers once. Throws damaged where they do not rise from 0 to the number of values, or where
  // the parts have other lengths than they should.
  explicit SparseMajors(const SparseMatrix& matrix);

  uint64_t count() const { return count_; }
  uint64_t entries() const { return entries_; }

  // Calls visit(major, begin, end) for each that has any of the entries [first, last), in order; begin and
  // end are those of all its entries.
  template <class Visit>
  void visit(uint64_t first, uint64_t last, Visit&& visit) const {
    if (first >= last) return;
    const auto after = std::upper_bound(samples_.begin(), samples_.end(), first);
    uint64_t major = static_cast<uint64_t>(after - samples_.begin() - 1) * kBetweenSamples;
    for (uint64_t begin = 0; begin < last && major < count_;) {
      const uint64_t some = std::min(kBetweenSamples, count_ - major);
      const IndexRun<uint64_t> pointers(*pointer_, major, some + 1, UINT64_MAX, "pointer");
      for (uint64_t i = 0; i < some && begin < last; ++i) {
        begin = pointers.values()[i];
        const uint64_t end = pointers.values()[i + 1];
        if (begin < end && end > first && begin < last) visit(major + i, begin, end);
        begin = end;
      }
      major += some;
    }
  }

 private:
  static constexpr uint64_t kBetweenSamples = 512;

  const ArrayPtr pointer_;
  const uint64_t count_;
  uint64_t entries_;
  std::vector<uint64_t> samples_;  // pointers 0, kBetweenSamples, …
};

}  // namespace plainfs
