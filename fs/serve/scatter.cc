#include "fs/serve/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/annotated/cell_groups.h"
#include "formats/core/model/factor.h"
#include "formats/core/text/printable.h"
#include "fs/serve/first_rows.h"
#include "fs/serve/page_text.h"

namespace plainfs::serve {
namespace {

constexpr int kWidth = 640, kHeight = 440, kMargin = 22;
constexpr size_t kMostGroups = 40;  // with a colour of their own
constexpr size_t kSteps = 8;        // of a scale of numbers; the style has a class for each
constexpr size_t kStyledColours = 8;
constexpr double kScaleCut = 0.01;

const LabelledArray* embedding_in(const AnnotatedPart& part) {
  const auto* array = std::get_if<LabelledArray>(&part.content);
  if (!array || array->values->shape().size() != 2 || !array->values->dtype().is_numeric()) return nullptr;
  const Shape& shape = array->values->shape();
  return shape[array->values->column_major() ? 0 : 1] >= 2 ? array : nullptr;
}

// Lower is more telling.
int rank_of(std::string name, std::initializer_list<std::string_view> words) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  int rank = 0;
  for (const std::string_view word : words) {
    if (name.find(word) != std::string::npos) return rank;
    ++rank;
  }
  return rank;
}

void sort_by(std::vector<std::string>& names, std::initializer_list<std::string_view> words) {
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return rank_of(a, words) < rank_of(b, words);
  });
}

// Class of a colour that light and dark pages have their own of, or, where there are more, the colour itself.
std::string stroke_of(size_t group, size_t groups) {
  if (groups <= kStyledColours) return fmt::format("class=\"k{}\"", group);
  // Around the wheel, with lightness that turns, so that neighbours differ on either page.
  const double hue = 360.0 * static_cast<double>(group) / static_cast<double>(groups);
  constexpr int kLightness[] = {42, 58, 34};
  return fmt::format("{}=\"hsl({:.0f} 62% {}%)\"", "stroke", hue, kLightness[group % std::size(kLightness)]);
}

struct Points {
  std::vector<double> x, y;  // NaN: not shown
  uint64_t step = 1;
};

Points points_of(const LabelledArray& embedding, uint64_t cells) {
  Points points;
  points.step = std::max<uint64_t>(1, (cells + kMostPoints - 1) / kMostPoints);
  const std::vector<double> values = sampled_rows(*embedding.values, cells, points.step, 0, 2);
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    points.x.push_back(values[i]);
    points.y.push_back(values[i + 1]);
  }
  return points;
}

// What of which group is drawn, one place each.
class Drawing {
 public:
  Drawing(const Points& points, size_t groups) : paths_(groups) {
    const ValueRange x = range_of(points.x, 0), y = range_of(points.y, 0);
    for (size_t i = 0; i < points.x.size(); ++i) {
      const bool is_place = std::isfinite(points.x[i]) && std::isfinite(points.y[i]);
      places_.push_back(is_place ? std::optional(Place{along(points.x[i], x, kMargin, kWidth - kMargin),
                                                       along(points.y[i], y, kHeight - kMargin, kMargin)})
                                 : std::nullopt);
    }
  }

  void put(size_t point, size_t group) {
    if (!places_[point]) return;
    paths_[group].places.push_back(*places_[point]);
  }

  // Twice at one place is once.
  std::string path(size_t group, const std::string& stroke, double width) const {
    std::vector<Place> places = paths_[group].places;
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.empty()) return {};
    std::string html = fmt::format("<path {} stroke-width=\"{}\" stroke-opacity=\".8\" d=\"", stroke, width);
    for (const auto& [px, py] : places) html += fmt::format("M{} {}h0", px, py);
    return html + "\"/>";
  }

  // Where the middle one of a group stands: its name is written there.
  std::optional<std::pair<int, int>> middle(size_t group) const {
    std::vector<int> x, y;
    for (const auto& [px, py] : paths_[group].places) {
      x.push_back(px);
      y.push_back(py);
    }
    if (x.empty()) return std::nullopt;
    const auto half = [](std::vector<int>& all) {
      const auto place = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
      std::nth_element(all.begin(), place, all.end());
      return *place;
    };
    return std::pair(half(x), half(y));
  }

 private:
  using Place = std::pair<int, int>;
  static int along(double value, ValueRange range, int from, int to) {
    if (range.high <= range.low) return (from + to) / 2;
    return static_cast<int>(std::lround(from + (value - range.low) / (range.high - range.low) * (to - from)));
  }

  struct Path {
    std::vector<Place> places;
  };
  std::vector<std::optional<Place>> places_;
  std::vector<Path> paths_;
};

// The groups of the points, what each is called, and the words for who does not see them.
struct Colouring {
  std::vector<std::string> names;
  std::vector<uint32_t> groups;  // of each point; CellGroups::kNone: without a value
  bool is_scale = false;
  std::string description;
};

Colouring by_groups(const CellGroups& all, uint64_t step, size_t points) {
  Colouring colouring;
  colouring.names = all.levels;
  std::vector<uint64_t> counts(all.levels.size(), 0);
  for (const uint32_t group : all.cells)
    if (group != CellGroups::kNone) ++counts[group];
  for (size_t i = 0; i < points; ++i) colouring.groups.push_back(all.cells[i * step]);
  colouring.description = fmt::format("{} points in {} groups: ", count_words(points), all.levels.size());
  for (size_t i = 0; i < counts.size(); ++i)
    colouring.description +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", shortened(all.levels[i], 60), count_words(counts[i]));
  return colouring;
}

Colouring by_numbers(const Array& column, uint64_t cells, uint64_t step) {
  const std::vector<double> values = sampled_rows(column, cells, step, 0, 1);
  const ValueRange range = range_of(values, kScaleCut);
  Colouring colouring;
  colouring.is_scale = true;
  const double width = (range.high - range.low) / kSteps;
  for (size_t i = 0; i < kSteps; ++i)
    colouring.names.push_back(fmt::format("{:.4g}", range.low + width * static_cast<double>(i)));
  for (const double value : values) {
    if (!std::isfinite(value)) {
      colouring.groups.push_back(CellGroups::kNone);
      continue;
    }
    const double step_of = width > 0 ? std::floor((value - range.low) / width) : 0;
    colouring.groups.push_back(static_cast<uint32_t>(std::clamp<double>(step_of, 0, kSteps - 1)));
  }
  colouring.description = fmt::format("{} points; the values go from {:.4g} to {:.4g}.",
                                      count_words(values.size()), range.low, range.high);
  return colouring;
}

std::optional<Colouring> colouring_of(const Array& column, uint64_t cells, const Points& points) {
  if (levels_of(column) == ColumnLevels::few || levels_of(column) == ColumnLevels::texts) {
    const std::optional<CellGroups> groups = cell_groups(column, kMostGroups);
    if (groups) return by_groups(*groups, points.step, points.x.size());
    return std::nullopt;
  }
  if (column.dtype().is_numeric()) return by_numbers(column, cells, points.step);
  return std::nullopt;
}

std::string axis_name(const LabelledArray& embedding, std::string_view name, uint64_t axis) {
  if (embedding.column_names) return element_words(*embedding.column_names, axis);
  return fmt::format("{} {}", name, axis + 1);
}

std::string key_html(const Colouring& colouring) {
  std::string html = "<ul class=\"key\">";
  for (size_t i = 0; i < colouring.names.size(); ++i) {
    const std::string stroke =
        colouring.is_scale ? fmt::format("class=\"r{}\"", i) : stroke_of(i, colouring.names.size());
    html += fmt::format(
        "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><path {} stroke-width=\"10\" d=\"M6 "
        "6h0\"/></svg>{}"
        "</li>",
        stroke, escaped(printable((colouring.is_scale ? "from " : "") + shortened(colouring.names[i], 60))));
  }
  return html + "</ul>";
}

}  // namespace

std::vector<std::string> embedding_names(const AnnotatedMatrix& matrix) {
  std::vector<std::string> names;
  for (const AnnotatedPart& part : matrix.obsm)
    if (embedding_in(part)) names.push_back(part.name);
  sort_by(names, {"umap", "tsne", "spatial", "pca", "dm"});
  return names;
}

std::vector<std::string> colour_names(const AnnotatedMatrix& matrix) {
  std::vector<std::string> factors, texts, numbers;
  for (const Column& column : matrix.obs.columns) {
    if (column.name == matrix.obs_names) continue;
    switch (levels_of(*column.values)) {
      case ColumnLevels::few:
        factors.push_back(column.name);
        break;
      case ColumnLevels::texts:
        texts.push_back(column.name);
        break;
      case ColumnLevels::numbers:
        if (column.values->dtype().is_numeric()) numbers.push_back(column.name);
        break;
      case ColumnLevels::none:
        break;
    }
  }
  sort_by(factors, {"cell_type", "celltype", "leiden", "louvain", "cluster"});
  for (auto* more : {&texts, &numbers}) factors.insert(factors.end(), more->begin(), more->end());
  return factors;
}

std::optional<Figure> scatter(const AnnotatedMatrix& matrix, std::string_view embedding,
                              std::string_view colour, const std::string& pick) {
  const auto part = std::find_if(matrix.obsm.begin(), matrix.obsm.end(),
                                 [&](const AnnotatedPart& each) { return each.name == embedding; });
  const LabelledArray* const values = part == matrix.obsm.end() ? nullptr : embedding_in(*part);
  if (!values || matrix.cells == 0) return std::nullopt;
  const Points points = points_of(*values, matrix.cells);
  Colouring colouring{{""}, std::vector<uint32_t>(points.x.size(), 0), false, {}};
  colouring.description = count_words(points.x.size()) + " points.";
  bool is_coloured = false;
  for (const Column& column : matrix.obs.columns) {
    if (column.name != colour || colour.empty()) continue;
    if (std::optional<Colouring> found = colouring_of(*column.values, matrix.cells, points)) {
      colouring = *std::move(found);
      is_coloured = true;
    }
  }
  const size_t groups = colouring.names.size();
  Drawing drawing(points, groups + 1);  // the last: without a value
  for (size_t i = 0; i < points.x.size(); ++i)
    drawing.put(i, colouring.groups[i] == CellGroups::kNone ? groups : colouring.groups[i]);
  const double width = points.x.size() < 500 ? 7 : points.x.size() < 6000 ? 4 : 3;
  const std::string x = axis_name(*values, embedding, 0), y = axis_name(*values, embedding, 1);
  const std::string title = fmt::format("{} and {} of {} cells{}", x, y, count_words(matrix.cells),
                                        is_coloured ? fmt::format(", coloured by {}", colour) : "");
  std::string html =
      pick + fmt::format(
                 "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"st sd\"><title "
                 "id=\"st\">{}"
                 "</title><desc id=\"sd\">{}</desc>",
                 kWidth, kHeight, escaped(printable(title)), escaped(printable(colouring.description)));
  html += drawing.path(groups, "class=\"k-\"", width);
  for (size_t i = 0; i < groups; ++i)
    html +=
        drawing.path(i, colouring.is_scale ? fmt::format("class=\"r{}\"", i) : stroke_of(i, groups), width);
  for (size_t i = 0; is_coloured && !colouring.is_scale && groups > 2 && i < groups; ++i)
    if (const auto middle = drawing.middle(i))
      html +=
          fmt::format("<text class=\"at\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", middle->first,
                      middle->second, escaped(printable(shortened(colouring.names[i], 24))));
  html += fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} →</text>"
      "<text x=\"14\" y=\"10\" text-anchor=\"end\" transform=\"rotate(-90 14 10)\">{} →</text></svg>",
      kWidth - 8, kHeight - 7, escaped(printable(x)), escaped(printable(y)));
  if (is_coloured) html += key_html(colouring);
  const std::string caption =
      points.step > 1 ? fmt::format("{}; one of {} cells is shown", title, count_words(points.step)) : title;
  return Figure{std::string(embedding), html, caption};
}

}  // namespace plainfs::serve
