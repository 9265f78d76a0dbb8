#include "fs/serve/pages/cells/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "formats/core/text/printable.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/samples.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr double kScaleCut = 0.01;
constexpr size_t kMaxKeys = 40;
constexpr size_t kMaxNameBytes = 60;

// Places that share a colour.
struct Group {
  Ink ink;
  std::vector<Spot> spots{};
};

double dot_width(size_t points) {
  return points < 500 ? 7 : points < 6000 ? 4 : 3;
}

std::vector<Group> groups_of_levels(const CellPlaces& places, const CellColour& colour) {
  std::vector<Group> groups{{Ink::none()}};
  for (size_t level = 0; level < colour.groups->levels.size(); ++level) groups.push_back({colour.ink(level)});
  for (size_t i = 0; i < places.x.size(); ++i) {
    const uint32_t level = colour.groups->cells[i * places.step];
    groups[level == CellGroups::kNone ? 0 : level + 1].spots.push_back({places.x[i], places.y[i]});
  }
  return groups;
}

// Returns the numbers between which the colours change. Requires: the colour has numbers.
Interval scale_of(const CellColour& colour) {
  Interval range = range_of(colour.numbers, kScaleCut).value_or(Interval{});
  if (!colour.is_gene || colour.statistics.values == 0) return range;
  // Zero means that a gene was not detected, and only few cells may have more.
  range.low = std::min(range.low, 0.0);
  if (range.high <= range.low) range.high = colour.statistics.greatest;
  return range;
}

// The highest values come last, so that they are drawn above the others.
std::vector<Group> groups_of_numbers(const CellPlaces& places, const CellColour& colour) {
  std::vector<Group> groups{{Ink::none()}};
  for (size_t i = 0; i < kScaleInks; ++i) groups.push_back({Ink::step(i)});
  const Interval range = scale_of(colour);
  for (size_t i = 0; i < places.x.size(); ++i) {
    const double value = colour.numbers[i * places.step];
    const double part = range.high > range.low && std::isfinite(value) ? range.part(value) : 0;
    const size_t step = std::min(static_cast<size_t>(part * kScaleInks), kScaleInks - 1);
    groups[std::isfinite(value) ? 1 + step : 0].spots.push_back({places.x[i], places.y[i]});
  }
  return groups;
}

std::vector<Group> groups_of(const CellPlaces& places, const CellColour* colour) {
  if (colour && colour->groups) return groups_of_levels(places, *colour);
  if (colour) return groups_of_numbers(places, *colour);
  std::vector<Group> groups{{Ink::group(0)}};
  for (size_t i = 0; i < places.x.size(); ++i) groups[0].spots.push_back({places.x[i], places.y[i]});
  return groups;
}

double middle_of(std::vector<double> values) {
  const auto place = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

std::optional<Spot> middle_of(const std::vector<Spot>& spots) {
  std::vector<double> x, y;
  for (const Spot& spot : spots) {
    if (!std::isfinite(spot.x) || !std::isfinite(spot.y)) continue;
    x.push_back(spot.x);
    y.push_back(spot.y);
  }
  if (x.empty()) return std::nullopt;
  return Spot{middle_of(std::move(x)), middle_of(std::move(y))};
}

// Labels the spots of each level. Larger levels come first and keep the place of their name.
void add_labels(const CellPlaces& places, const CellGroups& names, Plot& plot) {
  if (names.levels.size() < 3 || names.levels.size() > kMaxKeys) return;
  std::vector<std::vector<Spot>> spots(names.levels.size());
  for (size_t i = 0; i < places.x.size(); ++i)
    if (const uint32_t level = names.cells[i * places.step]; level != CellGroups::kNone)
      spots[level].push_back({places.x[i], places.y[i]});
  std::vector<size_t> order(spots.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return spots[a].size() > spots[b].size(); });
  for (const size_t level : order)
    if (const std::optional<Spot> middle = middle_of(spots[level]))
      plot.marks.emplace_back(Label{*middle, names.levels[level]});
}

// Returns the number of cells of each level, and last that of the cells without a level.
std::vector<uint64_t> cells_of_levels(const CellGroups& groups) {
  std::vector<uint64_t> counts(groups.levels.size() + 1, 0);
  for (const uint32_t level : groups.cells) ++counts[level == CellGroups::kNone ? counts.size() - 1 : level];
  return counts;
}

bool is_shown(const CellPlaces& places, size_t point) {
  return std::isfinite(places.x[point]) && std::isfinite(places.y[point]);
}

uint64_t shown_points(const CellPlaces& places) {
  uint64_t shown = 0;
  for (size_t i = 0; i < places.x.size(); ++i) shown += is_shown(places, i) ? 1 : 0;
  return shown;
}

// Returns "490 points in 2 groups: a 300, b 190; 10 points have no group": counts of the points shown.
std::string counted_levels(const CellPlaces& places, const CellGroups& groups) {
  std::vector<uint64_t> counts(groups.levels.size() + 1, 0);
  for (size_t i = 0; i < places.x.size(); ++i) {
    if (!is_shown(places, i)) continue;
    const uint32_t level = groups.cells[i * places.step];
    ++counts[level == CellGroups::kNone ? counts.size() - 1 : level];
  }
  const uint64_t missing = counts.back();
  counts.pop_back();
  std::string text = fmt::format("{} points in {}", count_text(shown_points(places) - missing),
                                 count_text(counts.size(), "group"));
  for (size_t i = 0; i < std::min(counts.size(), kMaxKeys); ++i)
    text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", shortened(groups.levels[i], kMaxNameBytes),
                        count_text(counts[i]));
  if (counts.size() > kMaxKeys) text += fmt::format(" and {} more", counts.size() - kMaxKeys);
  if (missing > 0)
    text += fmt::format("; {} point{} no group", count_text(missing), missing == 1 ? " has" : "s have");
  return text;
}

std::string key_item(const Ink& ink, const std::string& html) {
  return fmt::format(
      "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><path {} stroke-width=\"10\" d=\"M6 "
      "6h0\"/></svg>{}</li>",
      ink.attribute(), html);
}

std::string key_of_levels(const CellColour& colour) {
  const std::vector<std::string>& levels = colour.groups->levels;
  std::string html = "<ul class=\"key\">";
  for (size_t i = 0; i < std::min(levels.size(), kMaxKeys); ++i)
    html += key_item(colour.ink(i), escaped(printable(shortened(levels[i], kMaxNameBytes))));
  if (cells_of_levels(*colour.groups).back() > 0)
    html += key_item(Ink::none(), "<span class=\"na\">missing</span>");
  if (levels.size() > kMaxKeys) html += fmt::format("<li>and {} more</li>", levels.size() - kMaxKeys);
  return html + "</ul>";
}

Plot plot_of(const CellPlaces& places) {
  Plot plot{"scatter",
            {},
            {},
            {places.x_name, range_of(places.x, 0).value_or(Interval{})},
            {places.y_name, range_of(places.y, 0).value_or(Interval{})}};
  plot.keeps_aspect = true;
  plot.x.has_ends = plot.y.has_ends = false;
  return plot;
}

void add_dots(std::vector<Group>& groups, double width, Plot& plot) {
  for (Group& group : groups) plot.marks.emplace_back(Dots{group.spots, group.ink, width});
}

// Returns the key of a colour. An end of a scale is marked if values lie beyond it.
std::string key_of(const CellColour& colour) {
  if (colour.groups) return key_of_levels(colour);
  const Statistics& all = colour.statistics;
  if (all.values == 0)
    return fmt::format("<p class=\"scale\">{}: no value</p>", escaped(printable(colour.title())));
  const Interval range = scale_of(colour);
  return scale_key(number_text(range.low) + (all.least < range.low ? " or less" : ""),
                   number_text(range.high) + (all.greatest > range.high ? " or more" : ""), colour.title());
}

// Returns the range of the values of all cells.
std::string range_text(const Statistics& all) {
  const std::string left_out = left_out_text(all);
  if (all.values == 0) return "no cell has a value";
  return fmt::format("the values of all cells range from {} to {}{}", number_text(all.least),
                     number_text(all.greatest), left_out.empty() ? "" : "; " + left_out);
}

// Returns "; one of 3 cells is shown", or nothing if all are shown.
std::string sample_text(uint64_t step) {
  return step > 1 ? fmt::format("; one of {} cells is shown", count_text(step)) : std::string();
}

// Adds the dots, the labels and the descriptions of cells. cells: their number, of which the places are a
// sample.
Figure figure_of(Plot plot, const CellPlaces& places, uint64_t cells, double width, const std::string& name,
                 const CellColour* colour, const CellGroups* names) {
  plot.title = fmt::format("{} and {} of {} cells{}", places.x_name, places.y_name, count_text(cells),
                           colour ? fmt::format(", coloured by {}", colour->title()) : "");
  const uint64_t shown = shown_points(places);
  plot.description = count_text(shown) + " points.";
  std::vector<Group> groups = groups_of(places, colour);
  add_dots(groups, width, plot);
  if (colour && colour->groups) {
    plot.description = counted_levels(places, *colour->groups);
    names = &*colour->groups;
  } else if (colour) {
    plot.description = fmt::format("{} points; {}.", count_text(shown), range_text(colour->statistics));
  }
  if (names) add_labels(places, *names, plot);
  std::string caption = plot.title + sample_text(places.step);
  if (places.step == 1 && shown < cells)
    caption += fmt::format("; {} without a place", count_text(cells - shown));
  return {name, svg_of(plot) + (colour ? key_of(*colour) : ""), caption};
}

// Returns the places of a level alone.
CellPlaces places_in(const CellPlaces& places, const CellGroups& groups, size_t level) {
  CellPlaces own = places;
  for (size_t i = 0; i < own.x.size(); ++i)
    if (groups.cells[i * own.step] != level) own.x[i] = std::numeric_limits<double>::quiet_NaN();
  return own;
}

std::string name_list(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxKeys); ++i)
    text += (i == 0 ? "" : ", ") + shortened(names[i], kMaxNameBytes);
  return text + (names.size() > kMaxKeys ? fmt::format(" and {} more", names.size() - kMaxKeys) : "");
}

Plot panel_plot(const CellPlaces& places) {
  Plot plot = plot_of(places);
  plot.x.name = plot.y.name = {};
  plot.width = 240;
  plot.height = 180;
  return plot;
}

}  // namespace

Figure scatter(const CellPlaces& places, uint64_t cells, const std::string& name, const CellColour* colour,
               const CellGroups* names) {
  Plot plot = plot_of(places);
  plot.has_axes_text = true;
  return figure_of(std::move(plot), places, cells, dot_width(places.x.size()), name, colour, names);
}

Figure scatter(const RegionPlaces& part, const PlaneRegion& region, uint64_t cells, const std::string& name,
               const CellColour* colour, const CellGroups* names) {
  Plot plot = plot_of(part.places);
  plot.x.range = region.x;
  plot.y.range = region.y;
  plot.has_axes_text = true;
  const uint64_t shown = (part.cells + part.step - 1) / part.step;
  Figure figure = figure_of(std::move(plot), part.places, shown, dot_width(shown), name, colour, names);
  figure.caption = fmt::format("{} and {} of the {} of {} cells in the region{}", part.places.x_name,
                               part.places.y_name, count_text(part.cells), count_text(cells),
                               colour ? ", coloured by " + colour->title() : "");
  if (part.step > 1) figure.caption += sample_text(part.step);
  return figure;
}

Figure scatter(const SlideView& slide, uint64_t cells, const CellColour* colour, bool has_tissue) {
  constexpr double kLeast = 2, kMax = 12;
  Plot plot = plot_of(slide.places);
  plot.x.range = slide.picture->x;
  plot.y.range = slide.picture->y;
  plot.behind = has_tissue ? slide.picture.get() : nullptr;
  const double unit = std::min(plot.width / (plot.x.range.high - plot.x.range.low),
                               plot.height / (plot.y.range.high - plot.y.range.low));
  const double width = std::round(std::clamp(slide.spot * unit, kLeast, kMax) * 10) / 10;
  plot.lines = slide.outlines.get();
  Figure figure = figure_of(std::move(plot), slide.places, cells, width, slide.name, colour, nullptr);
  if (slide.outlines) figure.caption += fmt::format("; {} in orange", slide.outlined);
  return figure;
}

Figure panels(const CellPlaces& places, const std::string& column, const CellGroups& split,
              const CellColour* colour) {
  std::vector<uint64_t> counts = cells_of_levels(split);
  const uint64_t missing = counts.back();
  counts.pop_back();
  std::vector<size_t> order(counts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  std::vector<std::string> others;
  for (size_t i = kMaxPanels; i < order.size(); ++i) others.push_back(split.levels[order[i]]);
  order.resize(std::min(order.size(), kMaxPanels));
  std::sort(order.begin(), order.end());
  Plot plot = panel_plot(places);
  std::string html = "<div class=\"panels\">";
  for (const size_t level : order) {
    const CellPlaces own = places_in(places, split, level);
    std::vector<Group> groups = groups_of(own, colour);
    plot.marks.clear();
    add_dots(groups, counts[level] / places.step < 500 ? 4 : 3, plot);
    html += fmt::format("<div>{}<p>{} <small>{}</small></p></div>", bare_svg_of(plot),
                        escaped(printable(shortened(split.levels[level], kMaxNameBytes))),
                        count_text(counts[level]));
  }
  html += "</div>";
  std::string caption = fmt::format("{} levels of {}, over the same axes{}", count_text(counts.size()),
                                    column, colour ? fmt::format(", coloured by {}", colour->title()) : "");
  if (!others.empty())
    caption = fmt::format("The {} largest of {}; not shown: {}", order.size(), caption, name_list(others));
  caption += sample_text(places.step);
  if (missing > 0) caption += fmt::format("; {} without a level are not shown", count_text(missing));
  return {"Split by " + column, html + (colour ? key_of(*colour) : ""), caption};
}

std::string panel_of(const CellPlaces& places, const CellColour& colour) {
  Plot plot = panel_plot(places);
  std::vector<Group> groups = groups_of(places, &colour);
  add_dots(groups, places.x.size() < 500 ? 4 : 3, plot);
  return fmt::format("<div>{}<p>{}</p>{}</div>", bare_svg_of(plot),
                     escaped(printable(shortened(colour.title(), kMaxNameBytes))), key_of(colour));
}

std::string scatter_thumbnail(const CellPlaces& places, const CellColour* colour) {
  Plot plot = plot_of(places);
  plot.x.name = plot.y.name = {};
  plot.width = 200;
  plot.height = 140;
  std::vector<Group> groups = groups_of(places, colour);
  add_dots(groups, places.x.size() < 500 ? 4 : 3, plot);
  return bare_svg_of(plot);
}

}  // namespace plainfs::serve
