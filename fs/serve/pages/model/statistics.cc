#include "fs/serve/pages/model/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fs/report/words.h"

namespace plainfs::serve {
namespace {

constexpr int kScale = 64;  // binary digits: 2^64 of the greatest doubles, scaled down, have a finite sum

}  // namespace

double Statistics::share_above() const {
  return values == 0 ? 0 : static_cast<double>(above) / static_cast<double>(values);
}

void Counting::add(std::span<const double> values) {
  for (const double value : values) {
    const bool is_ranked = seen_++ % statistics_.step == 0;
    if (std::isnan(value)) {
      ++statistics_.missing;
    } else if (std::isinf(value)) {
      ++statistics_.infinite;
    } else {
      const bool is_first = statistics_.values++ == 0;
      statistics_.above += value > 0 ? 1 : 0;
      statistics_.zeros += value == 0 ? 1 : 0;
      statistics_.least = is_first ? value : std::min(statistics_.least, value);
      statistics_.greatest = is_first ? value : std::max(statistics_.greatest, value);
      add_to_sum(value);
      if (is_ranked) ranked_.push_back(value);
    }
  }
}

// Neumaier's summation keeps what rounding loses.
void Counting::add_to_sum(double value) {
  const double sum = sum_ + value;
  lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
  sum_ = sum;
  scaled_sum_ += std::ldexp(value, -kScale);
}

Statistics Counting::finish() {
  if (statistics_.values == 0) return statistics_;
  const auto count = static_cast<double>(statistics_.values);
  const double sum = sum_ + lost_;
  statistics_.mean = std::isfinite(sum) ? sum / count : std::ldexp(scaled_sum_ / count, kScale);
  statistics_.has_quartiles = !ranked_.empty();
  for (size_t i = 0; i < statistics_.quartiles.size() && statistics_.has_quartiles; ++i)
    statistics_.quartiles[i] = quantile(ranked_, 0.25 * static_cast<double>(i + 1));
  return statistics_;
}

Statistics statistics_of(std::span<const double> values) {
  Counting counting;
  counting.add(values);
  return counting.finish();
}

double quantile(std::vector<double>& values, double part) {
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double low = *below, between = place - std::floor(place);
  if (between == 0) return low;
  return std::lerp(low, *std::min_element(below + 1, values.end()), between);
}

std::optional<Interval> range_of(std::vector<double> values, double cut) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::nullopt;
  const auto left_out = static_cast<size_t>(cut * static_cast<double>(values.size()));
  const auto low = values.begin() + static_cast<ptrdiff_t>(left_out);
  const auto high = values.end() - static_cast<ptrdiff_t>(left_out + 1);
  std::nth_element(values.begin(), low, values.end());
  const double least = *low;
  std::nth_element(low, std::max(low, high), values.end());
  return Interval{least, *std::max(low, high)};
}

std::string left_out_text(const Statistics& statistics) {
  std::string text;
  if (statistics.missing > 0) text = count_text(statistics.missing) + " missing";
  if (statistics.infinite > 0)
    text += (text.empty() ? "" : ", ") + count_text(statistics.infinite) + " infinite";
  return text;
}

std::string range_sentence(const Statistics& statistics) {
  const std::string left_out = left_out_text(statistics);
  const std::string end = left_out.empty() ? "." : "; " + left_out + ".";
  if (statistics.values == 0) return "There is no value" + end;
  return fmt::format("The values range from {} to {}{}", number_text(statistics.least),
                     number_text(statistics.greatest), end);
}

std::string summary_text(const Statistics& statistics) {
  const std::string left_out = left_out_text(statistics);
  const std::string end = left_out.empty() ? "" : "; " + left_out;
  if (statistics.values == 0) return "no value" + end;
  std::string text = fmt::format("{} to {}", number_text(statistics.least), number_text(statistics.greatest));
  if (statistics.has_quartiles)
    text += fmt::format(", median {}, quartiles {} and {}", number_text(statistics.quartiles[1]),
                        number_text(statistics.quartiles[0]), number_text(statistics.quartiles[2]));
  if (statistics.has_quartiles && statistics.step > 1)
    text += fmt::format(" of one in {} rows", count_text(statistics.step));
  return text + end;
}

}  // namespace plainfs::serve
