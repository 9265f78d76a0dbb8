// Wilcoxon's rank-sum test with the correction for ties, as scanpy's rank_genes_groups computes it with
// method="wilcoxon" and tie_correct=True.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plainfs::serve {

// The rank sum of the chosen values among all, as a number of standard deviations from its mean.
struct RankSum {
  double score = 0;  // 0 if all values are equal
  double p = 1;      // two-sided, of the normal approximation
};

// The values of a group: how many are zero, and the others, which are sorted in place.
template <class T>
struct RankedGroup {
  std::span<T> others;
  uint64_t zeros = 0;

  uint64_t count() const { return others.size() + zeros; }
};

// Returns the test of the chosen values against the rest. Requires: all values are finite, and neither group
// is empty. T is float or double.
template <class T>
RankSum rank_sum(RankedGroup<T> chosen, RankedGroup<T> rest);

// Returns p-values adjusted by Benjamini and Hochberg, in the order of `p`.
std::vector<double> adjusted_p(std::span<const double> p);

}  // namespace plainfs::serve
