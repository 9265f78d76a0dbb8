#include "fs/serve/column_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache/request.h"
#include "formats/annotated/cell_groups.h"
#include "formats/core/model/number_cast.h"
#include "fs/serve/page_text.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMostDifferent = 10'000;
constexpr uint64_t kMostRanked = uint64_t{1} << 17;  // values used for the quartiles
constexpr uint64_t kValuesAtOnce = uint64_t{1} << 18;
constexpr size_t kShownShares = 3;
constexpr size_t kMostLevelLetters = 24;

// A survey of a column (Array::survey).
struct SummaryLine {
  std::string text;
};

// The ends cover all values. The quartiles use every k-th value if there are very many.
std::string summary_of_numbers(const Array& column) {
  const uint64_t count = column.count(), step = std::max<uint64_t>(1, count / kMostRanked);
  std::vector<double> values, ranked;
  double least = INFINITY, greatest = -INFINITY;
  for (uint64_t first = 0; first < count; first += kValuesAtOnce) {
    check_cancelled();
    values.clear();
    append_doubles(column.dtype(), column.read(range(first, std::min(kValuesAtOnce, count - first))), values);
    for (uint64_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      least = std::min(least, values[i]);
      greatest = std::max(greatest, values[i]);
      if ((first + i) % step == 0) ranked.push_back(values[i]);
    }
  }
  if (ranked.empty()) return "no value";
  const auto quartile = [&](double part) {
    const auto place = ranked.begin() + static_cast<ptrdiff_t>(part * static_cast<double>(ranked.size() - 1));
    std::nth_element(ranked.begin(), place, ranked.end());
    return number_words(*place);
  };
  return fmt::format("{} to {}, median {}, quartiles {} and {}", number_words(least), number_words(greatest),
                     quartile(0.5), quartile(0.25), quartile(0.75));
}

std::string summary_of_levels(const Array& column) {
  const std::optional<CellGroups> groups = cell_groups(column, kMostDifferent);
  if (!groups) return fmt::format("more than {} different", count_words(kMostDifferent));
  if (groups->levels.empty()) return "no value";
  std::vector<uint64_t> counts(groups->levels.size(), 0);
  for (const uint32_t level : groups->cells)
    if (level != CellGroups::kNone) ++counts[level];
  std::vector<size_t> order;
  for (size_t i = 0; i < counts.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  std::string text = fmt::format("{} level{}", count_words(counts.size()), counts.size() == 1 ? "" : "s");
  for (size_t i = 0; i < std::min(order.size(), kShownShares); ++i)
    text += fmt::format(
        "{}{} {:.0f} %", i == 0 ? ": " : ", ", shortened(groups->levels[order[i]], kMostLevelLetters),
        100.0 * static_cast<double>(counts[order[i]]) / static_cast<double>(groups->cells.size()));
  return text + (order.size() > kShownShares ? ", …" : "");
}

}  // namespace

std::string column_summary(const Array& column) {
  const ColumnLevels levels = levels_of(column);
  if (column.shape().size() != 1 || levels == ColumnLevels::none) return {};
  const bool are_numbers = levels == ColumnLevels::numbers && column.dtype().is_numeric();
  if (levels == ColumnLevels::numbers && !are_numbers) return {};
  return column
      .survey<SummaryLine>(
          0,
          [&] { return SummaryLine{are_numbers ? summary_of_numbers(column) : summary_of_levels(column)}; })
      ->text;
}

}  // namespace plainfs::serve
