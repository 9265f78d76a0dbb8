#include "fs/serve/pages/model/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plainfs::serve {
namespace {

struct Ranked {
  double value;
  uint8_t is_chosen;
};

// Adds up ranks in ascending order. Equal values share the mean of their ranks.
class Ranks {
 public:
  void add_ties(uint64_t count, uint64_t chosen) {
    const auto ties = static_cast<double>(count);
    sum_ += static_cast<double>(chosen) * (before_ + (ties + 1) / 2);
    ties_ += ties * ties * ties - ties;
    before_ += ties;
  }
  void add_sorted(std::span<const Ranked> values) {
    for (size_t first = 0; first < values.size();) {
      size_t end = first;
      uint64_t chosen = 0;
      for (; end < values.size() && values[end].value == values[first].value; ++end)
        chosen += values[end].is_chosen;
      add_ties(end - first, chosen);
      first = end;
    }
  }
  double sum() const { return sum_; }
  double tie_factor() const { return 1 - ties_ / (before_ * before_ * before_ - before_); }

 private:
  double before_ = 0, sum_ = 0, ties_ = 0;
};

}  // namespace

RankSum rank_sum(std::span<const double> values, std::span<const uint8_t> is_chosen) {
  std::vector<Ranked> negative, positive;
  uint64_t chosen = 0, chosen_zeros = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    chosen += is_chosen[i];
    if (values[i] == 0)
      chosen_zeros += is_chosen[i];
    else
      (values[i] < 0 ? negative : positive).push_back({values[i], is_chosen[i]});
  }
  const auto is_less = [](const Ranked& a, const Ranked& b) { return a.value < b.value; };
  std::sort(negative.begin(), negative.end(), is_less);
  std::sort(positive.begin(), positive.end(), is_less);
  Ranks ranks;
  ranks.add_sorted(negative);
  ranks.add_ties(values.size() - negative.size() - positive.size(), chosen_zeros);
  ranks.add_sorted(positive);
  const auto all = static_cast<double>(values.size()), own = static_cast<double>(chosen);
  const double deviation = std::sqrt(ranks.tie_factor() * own * (all - own) * (all + 1) / 12);
  const double score = (ranks.sum() - own * (all + 1) / 2) / deviation;
  if (!std::isfinite(score)) return {};
  return {score, std::erfc(std::abs(score) / std::sqrt(2.0))};
}

std::vector<double> adjusted_p(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto rank = static_cast<double>(p.size() - i);
    least = std::min(least, p[order[i]] * static_cast<double>(p.size()) / rank);
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace plainfs::serve
