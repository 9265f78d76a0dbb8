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

// Returns the test of the chosen values against the rest. Zeros are not sorted. Requires: all values are
// finite, the spans are of equal length, and is_chosen is neither all 0 nor all 1.
RankSum rank_sum(std::span<const double> values, std::span<const uint8_t> is_chosen);

// Returns p-values adjusted by Benjamini and Hochberg, in the order of `p`.
std::vector<double> adjusted_p(std::span<const double> p);

}  // namespace plainfs::serve
