#include "fs/serve/plots/mark_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fs/report/words.h"
#include "fs/serve/plots/ink.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxGridNameBytes = 24;
constexpr double kNameLetter = 10.4, kNameSlope = 0.82;  // of a name along x, which rises
constexpr double kSpace = 8, kLeastWidth = 320;

double longest(const std::vector<std::string>& names) {
  size_t bytes = 0;
  for (const std::string& name : names) bytes = std::max(bytes, std::min(name.size(), kMaxGridNameBytes));
  return kNameLetter * static_cast<double>(bytes);
}

// The places of the cells of a grid, and its names.
class GridFrame {
 public:
  GridFrame(const MarkGrid& grid, double column, double row)
      : grid_(grid),
        column_(column),
        row_(row),
        left_(longest(grid.rows) + kSpace),
        top_(kNameSlope * longest(grid.columns) + 3 * kSpace) {}

  double x(size_t column) const { return left_ + column_ * (static_cast<double>(column) + 0.5); }
  double y(size_t row) const { return top_ + row_ * (static_cast<double>(row) + 0.5); }

  // marks: SVG.
  std::string svg(const std::string& marks) const {
    std::string names;
    for (size_t i = 0; i < grid_.rows.size(); ++i)
      names += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>",
                           left_ - kSpace / 2, y(i) + 4, shown_text(grid_.rows[i], kMaxGridNameBytes));
    for (size_t i = 0; i < grid_.columns.size(); ++i)
      names += fmt::format("<text transform=\"translate({:.0f} {:.0f}) rotate(-55)\">{}</text>", x(i) + 4,
                           top_ - kSpace / 2, shown_text(grid_.columns[i], kMaxGridNameBytes));
    // The last name along x ends beyond its column.
    const double right = x(grid_.columns.size()) + 0.58 * longest(grid_.columns);
    return fmt::format(
        "<svg class=\"plot\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-labelledby=\"{}-t "
        "{}-d\"><title id=\"{}-t\">{}</title><desc id=\"{}-d\">{}</desc>{}{}</svg>",
        std::max(kLeastWidth, right), y(grid_.rows.size()), grid_.id, grid_.id, grid_.id,
        shown_text(grid_.title), grid_.id, shown_text(grid_.description), names, marks);
  }

 private:
  const MarkGrid& grid_;
  const double column_, row_, left_, top_;
};

}  // namespace

std::string dots_svg(const MarkGrid& grid, const std::vector<MarkGrid::Dot>& dots) {
  constexpr double kSide = 26, kLargest = 20;
  const GridFrame frame(grid, kSide + kSpace, kSide);
  std::string marks;
  for (size_t i = 0; i < dots.size(); ++i) {
    const MarkGrid::Dot& dot = dots[i];
    if (!std::isfinite(dot.share) || !std::isfinite(dot.colour) || dot.share <= 0) continue;
    const double width = kLargest * std::sqrt(dot.share);
    const auto step = std::min(static_cast<size_t>(dot.colour * kScaleInks), kScaleInks - 1);
    const std::string place =
        fmt::format("M{:.0f} {:.0f}h0", frame.x(i % grid.columns.size()), frame.y(i / grid.columns.size()));
    marks += fmt::format(
        "<path class=\"rim\" stroke-width=\"{:.1f}\" d=\"{}\"/><path {} stroke-width=\"{:.1f}\" d=\"{}\"/>",
        width + 1.4, place, Ink::step(step).attribute(), width, place);
  }
  return frame.svg(marks);
}

std::string violins_svg(const MarkGrid& grid, const std::vector<std::vector<double>>& shapes) {
  constexpr double kWidth = 44, kHeight = 44;
  const GridFrame frame(grid, kWidth + kSpace, kHeight + kSpace);
  std::string marks;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<double>& counts = shapes[i];
    const double most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    if (most <= 0) continue;
    const double x = frame.x(i % grid.columns.size()),
                 bottom = frame.y(i / grid.columns.size()) + kHeight / 2;
    const double step = kHeight / static_cast<double>(counts.size());
    std::string left, right;
    for (size_t k = 0; k < counts.size(); ++k) {
      const double half = kWidth / 2 * counts[k] / most, y = bottom - step * (static_cast<double>(k) + 0.5);
      right += fmt::format("{:.1f},{:.1f} ", x + half, y);
      left.insert(0, fmt::format("{:.1f},{:.1f} ", x - half, y));
    }
    marks += fmt::format("<polygon points=\"{}{}\"/>", right, left);
  }
  return frame.svg(marks);
}

}  // namespace plainfs::serve
