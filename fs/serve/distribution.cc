#include "fs/serve/cell_colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fs/serve/figures.h"
#include "fs/serve/page_text.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr size_t kBins = 40, kSmallBins = 16;
constexpr double kHistogramCut = 0.001;  // part of the values in the bins at each end of a histogram

// Counts values over even steps of a range. Values beyond an end count in the last step at that end.
std::vector<double> counts_of(const std::vector<double>& values, const Interval& range, size_t bins) {
  std::vector<double> counts(bins, 0);
  const double width = (range.high - range.low) / static_cast<double>(bins);
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const double bin = width > 0 ? std::floor((value - range.low) / width) : 0;
    counts[static_cast<size_t>(std::clamp<double>(bin, 0, static_cast<double>(bins - 1)))] += 1;
  }
  return counts;
}

double quartile(std::vector<double>& values, double part) {
  const auto place = values.begin() + static_cast<ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

LevelRow row_of(const std::string& name, std::vector<double> values, const Interval& range) {
  LevelRow row{name};
  row.cells = values.size();
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  row.shape = counts_of(values, range, kSmallBins);
  if (values.empty()) return row;
  double sum = 0;
  size_t above = 0;
  for (const double value : values) {
    sum += value;
    above += value > 0 ? 1 : 0;
  }
  row.mean = sum / static_cast<double>(values.size());
  row.above = static_cast<double>(above) / static_cast<double>(values.size());
  for (size_t i = 0; i < std::size(row.quartiles); ++i)
    row.quartiles[i] = quartile(values, 0.25 * static_cast<double>(i + 1));
  return row;
}

std::vector<LevelRow> rows_of_numbers(const std::vector<double>& numbers, const CellGroups& by) {
  std::vector<std::vector<double>> values(by.levels.size());
  for (size_t i = 0; i < std::min(numbers.size(), by.cells.size()); ++i)
    if (by.cells[i] != CellGroups::kNone) values[by.cells[i]].push_back(numbers[i]);
  const Interval range = range_of(numbers, kHistogramCut);
  std::vector<LevelRow> rows;
  for (size_t level = 0; level < values.size(); ++level)
    rows.push_back(row_of(by.levels[level], std::move(values[level]), range));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const LevelRow& a, const LevelRow& b) { return a.mean > b.mean; });
  return rows;
}

// Returns the distribution of the cells of each level of `by` over the colour's levels. If both are the same
// column, returns the number of cells per level.
std::vector<LevelRow> rows_of_groups(const CellGroups& colour, const CellGroups& by) {
  std::vector<LevelRow> rows;
  for (const std::string& level : by.levels) {
    rows.push_back({level});
    rows.back().shape.assign(std::min(colour.levels.size(), kSmallBins), 0);
  }
  for (size_t i = 0; i < std::min(by.cells.size(), colour.cells.size()); ++i) {
    if (by.cells[i] == CellGroups::kNone) continue;
    LevelRow& row = rows[by.cells[i]];
    ++row.cells;
    if (colour.cells[i] < row.shape.size()) row.shape[colour.cells[i]] += 1;
  }
  return rows;
}

}  // namespace

Distribution distribution_of(const CellColour& colour, const std::string& by_name, const CellGroups& by) {
  Distribution distribution{colour.name, by_name, !colour.groups};
  distribution.rows =
      colour.groups ? rows_of_groups(*colour.groups, by) : rows_of_numbers(colour.numbers, by);
  if (colour.groups && colour.name == by_name)
    for (LevelRow& row : distribution.rows) row.shape.clear();
  if (distribution.rows.size() <= kMostLevelRows) return distribution;
  distribution.more = distribution.rows.size() - kMostLevelRows;
  distribution.rows.resize(kMostLevelRows);
  return distribution;
}

Figure histogram_of(const CellColour& colour) {
  std::vector<double> values;
  for (const double value : colour.numbers)
    if (std::isfinite(value)) values.push_back(value);
  const uint64_t all = values.size();
  std::vector<double> above;
  for (const double value : values)
    if (value > 0) above.push_back(value);
  // Most cells have a zero for a gene, and that one bar would dwarf the others.
  const bool leaves_zeros_out = colour.is_gene && 2 * above.size() < all && !above.empty();
  if (leaves_zeros_out) values = above;
  const Interval range = range_of(values, kHistogramCut);
  const std::vector<double> counts = counts_of(values, range, kBins);
  Plot plot{
      "histogram", fmt::format("Histogram of {}", colour.name), {}, {colour.name, range}, {"cells", {}}};
  plot.height = 200;
  plot.y.range.high = *std::max_element(counts.begin(), counts.end());
  Bars bars;
  const double width = (range.high - range.low) / kBins;
  for (size_t i = 0; i < kBins; ++i)
    bars.bars.push_back({range.low + width * static_cast<double>(i),
                         range.low + width * static_cast<double>(i + 1), counts[i]});
  plot.marks.emplace_back(std::move(bars));
  plot.description = fmt::format(
      "{} values, {} ({}) above zero{}; they range from {} to {}.", count_words(all),
      count_words(above.size()),
      share_words(all == 0 ? 0 : static_cast<double>(above.size()) / static_cast<double>(all)),
      leaves_zeros_out ? " (only these are shown)" : "", number_words(range.low), number_words(range.high));
  return {"Distribution", svg_of(plot), plot.description};
}

}  // namespace plainfs::serve
