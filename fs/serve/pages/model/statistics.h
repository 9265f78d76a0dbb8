// Statistics of many values: their counts, range, mean and quantiles. Every page that states such a number
// takes it from here. Missing and infinite values are counted apart, and no other number includes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

struct Statistics {
  uint64_t values = 0;                // finite ones, to which the numbers below refer
  uint64_t missing = 0;               // NaN, as missing values are read
  uint64_t infinite = 0;              // of both signs
  uint64_t above = 0, zeros = 0;      // values above zero, and values that are zero
  double least = 0, greatest = 0;     // 0 without values, as are the mean and the quartiles
  double mean = 0;                    // exact also if the sum of the values is not finite
  std::array<double, 3> quartiles{};  // with linear interpolation, of every `step`-th value
  uint64_t step = 1;
  bool has_quartiles = false;  // at least one of the values that decide them is finite

  // Returns the part of the values that are above zero; 0 without values.
  double share_above() const;
};

// Computes statistics in one pass.
class Counting {
 public:
  // step: only every step-th value decides the quartiles.
  explicit Counting(uint64_t step = 1) { statistics_.step = step; }
  void add(std::span<const double> values);
  Statistics finish();

 private:
  void add_to_sum(double value);

  Statistics statistics_;
  uint64_t seen_ = 0;
  double sum_ = 0, lost_ = 0;  // the bits that rounding cut off the sum
  double scaled_sum_ = 0;      // for a sum that is not finite
  std::vector<double> ranked_;
};

Statistics statistics_of(std::span<const double> values);

// Returns a quantile as numpy, pandas and R (type 7) do: a number between the two values around it. Reorders
// the values. Requires: values is not empty and finite; part is 0 to 1.
double quantile(std::vector<double>& values, double part);

// Returns the least and the greatest of the finite values that are left without a part `cut` of them, rounded
// down to whole values, at each end; nullopt without such values. A single outlier does not move them, as it
// moves an interpolated quantile. cut: 0 to 0.5.
std::optional<Interval> range_of(std::vector<double> values, double cut);

// Returns "3 missing, 2 infinite", without what does not occur.
std::string left_out_text(const Statistics& statistics);

// Returns "The values range from 1 to 7; 3 missing."; "There is no value; 3 missing." without values.
std::string range_sentence(const Statistics& statistics);

// Returns "1 to 7, median 3, quartiles 2 and 5; 3 missing"; "no value" without values.
std::string summary_text(const Statistics& statistics);

}  // namespace plainfs::serve
