#include "fs/serve/pages/model/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plainfs::serve {
namespace {

// Adds up ranks in ascending order. Equal values share the mean of their ranks.
class Ranks {
 public:
  void add_ties(uint64_t count, uint64_t chosen) {
    const auto ties = static_cast<double>(count);
    sum_ += static_cast<double>(chosen) * (before_ + (ties + 1) / 2);
    ties_ += ties * ties * ties - ties;
    before_ += ties;
  }
  double sum() const { return sum_; }
  double tie_factor() const { return 1 - ties_ / (before_ * before_ * before_ - before_); }

 private:
  double before_ = 0, sum_ = 0, ties_ = 0;
};

// Adds the ranks of two sorted groups with their zeros.
template <class T>
void add_merged(const RankedGroup<T>& chosen, const RankedGroup<T>& rest, Ranks& ranks) {
  const std::span<T> own = chosen.others, others = rest.others;
  bool has_zeros = false;
  const auto add_zeros = [&] {
    ranks.add_ties(chosen.zeros + rest.zeros, chosen.zeros);
    has_zeros = true;
  };
  for (size_t i = 0, k = 0; i < own.size() || k < others.size();) {
    const bool is_own = k == others.size() || (i < own.size() && own[i] < others[k]);
    const T value = is_own ? own[i] : others[k];
    if (!has_zeros && value > 0) add_zeros();
    const size_t own_before = i, others_before = k;
    while (i < own.size() && own[i] == value) ++i;
    while (k < others.size() && others[k] == value) ++k;
    ranks.add_ties(i - own_before + (k - others_before), i - own_before);
  }
  if (!has_zeros) add_zeros();
}

}  // namespace

template <class T>
RankSum rank_sum(RankedGroup<T> chosen, RankedGroup<T> rest) {
  std::sort(chosen.others.begin(), chosen.others.end());
  std::sort(rest.others.begin(), rest.others.end());
  Ranks ranks;
  add_merged(chosen, rest, ranks);
  const auto own = static_cast<double>(chosen.count()), all = own + static_cast<double>(rest.count());
  const double deviation = std::sqrt(ranks.tie_factor() * own * (all - own) * (all + 1) / 12);
  const double score = (ranks.sum() - own * (all + 1) / 2) / deviation;
  if (!std::isfinite(score)) return {};
  return {score, std::erfc(std::abs(score) / std::sqrt(2.0))};
}

template RankSum rank_sum(RankedGroup<float> chosen, RankedGroup<float> rest);
template RankSum rank_sum(RankedGroup<double> chosen, RankedGroup<double> rest);

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
