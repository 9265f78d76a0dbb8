#include "fs/serve/pages/cells/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fs/report/words.h"
#include "fs/serve/pages/model/samples.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr size_t kBins = 40, kSmallBins = 16;
constexpr double kHistogramCut = 0.001;  // part of the values in the bins at each end of a histogram

// Counts values over even steps of a range. Values beyond an end count in the last step at that end.
std::vector<double> counts_of(const std::vector<double>& values, const Interval& range, size_t bins) {
  std::vector<double> counts(bins, 0);
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const auto bin =
        range.high > range.low ? static_cast<size_t>(range.part(value) * static_cast<double>(bins)) : 0;
    counts[std::min(bin, bins - 1)] += 1;
  }
  return counts;
}

// Returns a row for each level of `by`, and behind them one for the cells without a level.
std::vector<LevelRow> rows_of_levels(const CellGroups& by) {
  std::vector<LevelRow> rows;
  for (const std::string& level : by.levels) rows.push_back({level});
  rows.push_back({{}, true});
  return rows;
}

size_t row_of(uint32_t level, const std::vector<LevelRow>& rows) {
  return level == CellGroups::kNone ? rows.size() - 1 : level;
}

std::vector<LevelRow> rows_of_numbers(const std::vector<double>& numbers, const CellGroups& by) {
  std::vector<LevelRow> rows = rows_of_levels(by);
  std::vector<std::vector<double>> values(rows.size());
  for (size_t i = 0; i < std::min(numbers.size(), by.cells.size()); ++i)
    values[row_of(by.cells[i], rows)].push_back(numbers[i]);
  const Interval range = range_of(numbers, kHistogramCut).value_or(Interval{});
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].cells = values[i].size();
    rows[i].numbers = statistics_of(values[i]);
    rows[i].shape = counts_of(values[i], range, kSmallBins);
  }
  return rows;
}

void sort_by_mean(std::vector<LevelRow>& rows) {
  const auto is_before = [](const LevelRow& a, const LevelRow& b) {
    if ((a.numbers.values == 0) != (b.numbers.values == 0)) return b.numbers.values == 0;
    return a.numbers.mean > b.numbers.mean;
  };
  std::stable_sort(rows.begin(), rows.end() - 1, is_before);
}

// Returns the distribution of the cells of each level of `by` over the colour's levels. If both are the same
// column, returns the number of cells per level.
std::vector<LevelRow> rows_of_groups(const CellGroups& colour, const CellGroups& by, bool has_shapes) {
  std::vector<LevelRow> rows = rows_of_levels(by);
  for (LevelRow& row : rows) row.shape.assign(has_shapes ? std::min(colour.levels.size(), kSmallBins) : 0, 0);
  for (size_t i = 0; i < std::min(by.cells.size(), colour.cells.size()); ++i) {
    LevelRow& row = rows[row_of(by.cells[i], rows)];
    ++row.cells;
    if (colour.cells[i] < row.shape.size()) row.shape[colour.cells[i]] += 1;
  }
  return rows;
}

// Keeps the first `most` rows, or those with the most cells in the order that they have. The last row is that
// of the cells without a level, and is kept if there are such cells.
void cut_rows(Distribution& distribution, size_t most, bool keeps_first) {
  std::vector<LevelRow>& rows = distribution.rows;
  const LevelRow last = rows.back();
  rows.pop_back();
  if (rows.size() > most) {
    distribution.more = rows.size() - most;
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (!keeps_first)
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return rows[a].cells > rows[b].cells; });
    order.resize(most);
    std::sort(order.begin(), order.end());
    std::vector<LevelRow> kept;
    for (const size_t row : order) kept.push_back(std::move(rows[row]));
    rows = std::move(kept);
  }
  if (last.cells > 0) rows.push_back(last);
}

}  // namespace

Distribution distribution_of(const CellColour& colour, const std::string& by_name, const CellGroups& by) {
  Distribution distribution{colour.name, by_name, !colour.groups, by.cells.size()};
  distribution.rows = colour.groups ? rows_of_groups(*colour.groups, by, colour.name != by_name)
                                    : rows_of_numbers(colour.numbers, by);
  if (colour.matrix) distribution.matrix = colour.matrix->name();
  distribution.shape_text = "distribution";
  if (colour.groups && colour.groups->levels.size() > kSmallBins)
    distribution.shape_text = fmt::format("first {} of {} levels", kSmallBins, colour.groups->levels.size());
  if (distribution.has_numbers) sort_by_mean(distribution.rows);
  cut_rows(distribution, kMaxLevelRows, distribution.has_numbers);
  return distribution;
}

Distribution distribution_in_order(const CellColour& colour, const std::string& by_name,
                                   const CellGroups& by) {
  Distribution distribution{colour.name, by_name, true, by.cells.size()};
  distribution.rows = rows_of_numbers(colour.numbers, by);
  if (colour.matrix) distribution.matrix = colour.matrix->name();
  cut_rows(distribution, kMaxLevelRows, false);
  return distribution;
}

namespace {

// Returns the range of the drawn values, which are not empty. are_others: beside values that are not drawn.
std::string text_of_range(const std::vector<double>& drawn, bool are_others) {
  const auto [least, greatest] = std::minmax_element(drawn.begin(), drawn.end());
  if (drawn.size() == 1) return fmt::format("{} is {}", are_others ? "the other" : "it", number_text(*least));
  const char* const subject = are_others ? "the others" : "they";
  if (*least == *greatest) return fmt::format("{} are all {}", subject, number_text(*least));
  return fmt::format("{} range from {} to {}", subject, number_text(*least), number_text(*greatest));
}

// Returns the caption of a histogram of values in `range`. has_zeros: its bars include values that are
// zero.
std::string histogram_text(const CellColour& colour, const std::vector<double>& shown, const Interval& range,
                           bool has_zeros) {
  const Statistics& all = colour.statistics;
  if (all.values == 0)
    return left_out_text(all).empty() ? "No values." : "No values: " + left_out_text(all) + ".";
  std::string text =
      fmt::format("{}, {} ({}) above zero; {}{}.", count_text(all.values, "value"), count_text(all.above),
                  share_text(all.share_above()),
                  has_zeros ? "" : fmt::format("the {} zeros are not drawn, ", count_text(all.zeros)),
                  text_of_range(shown, !has_zeros));
  if (const std::string left_out = left_out_text(all); !left_out.empty())
    text += " Not shown: " + left_out + ".";
  const auto beyond = std::count_if(shown.begin(), shown.end(),
                                    [&](double value) { return value < range.low || value > range.high; });
  if (beyond > 0)
    text += fmt::format(" The axis ends at {} and {}; the outermost bars count the {} beyond.",
                        number_text(range.low), number_text(range.high),
                        count_text(static_cast<uint64_t>(beyond), "value"));
  return text;
}

}  // namespace

Figure histogram_of(const CellColour& colour) {
  const Statistics& all = colour.statistics;
  // Most cells have a zero for a gene, and that one bar would dwarf the others.
  const bool has_zeros = !colour.is_gene || 2 * all.zeros <= all.values || all.zeros == all.values;
  std::vector<double> values;
  for (const double value : colour.numbers)
    if (std::isfinite(value) && (has_zeros || value != 0)) values.push_back(value);
  const Interval range = range_of(values, kHistogramCut).value_or(Interval{});
  const std::vector<double> counts = counts_of(values, range, kBins);
  Plot plot{"histogram",
            fmt::format("Histogram of {}", colour.title()),
            {},
            {colour.title(), range},
            {"cells", {}}};
  plot.height = 200;
  plot.y.range.high = *std::max_element(counts.begin(), counts.end());
  Bars bars;
  for (size_t i = 0; i < kBins; ++i)
    bars.bars.push_back({std::lerp(range.low, range.high, static_cast<double>(i) / kBins),
                         std::lerp(range.low, range.high, static_cast<double>(i + 1) / kBins), counts[i]});
  plot.marks.emplace_back(std::move(bars));
  plot.description = histogram_text(colour, values, range, has_zeros);
  return {"Distribution", svg_of(plot), plot.description};
}

}  // namespace plainfs::serve
