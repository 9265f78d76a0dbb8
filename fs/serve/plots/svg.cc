#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/core/text/base64.h"
#include "formats/core/text/printable.h"
#include "fs/serve/page_text.h"
#include "fs/serve/plots/pixels.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

// Pixels around the area of the marks.
struct Margins {
  int left, right, top, bottom;
};
constexpr Margins kForAxes{48, 16, 16, 30}, kBare{6, 6, 6, 6};
constexpr int kLabelHeight = 15;
constexpr double kLabelLetter = 7.2;  // approximate width of a letter of a label
constexpr size_t kMostLabelBytes = 24;

using Pixel = std::pair<int, int>;

std::string shown_text(const std::string& text) {
  return escaped(printable(text));
}

// The mapping of axis numbers to positions in the picture.
class Frame {
 public:
  Frame(const Plot& plot, const Margins& margins)
      : x_(plot.x.range),
        y_(plot.y.range),
        left_(margins.left),
        top_(margins.top),
        width_(plot.width - margins.left - margins.right),
        height_(plot.height - margins.top - margins.bottom) {
    if (!plot.keeps_aspect || length(x_) <= 0 || length(y_) <= 0) return;
    const double unit = std::min(width_ / length(x_), height_ / length(y_));
    widen(x_, width_ / unit);
    widen(y_, height_ / unit);
  }

  bool holds(Spot spot) const {
    return std::isfinite(spot.x) && std::isfinite(spot.y) && spot.x >= x_.low && spot.x <= x_.high;
  }
  Pixel at(Spot spot) const {
    return {left_ + static_cast<int>(std::lround(part(spot.x, x_) * width_)),
            top_ + static_cast<int>(std::lround((1 - part(spot.y, y_)) * height_))};
  }
  int left() const { return left_; }
  int right() const { return left_ + width_; }
  int top() const { return top_; }
  int bottom() const { return top_ + height_; }
  double row() const { return height_ / std::max(1.0, length(y_)); }

 private:
  static double length(const Interval& range) { return range.high - range.low; }
  static void widen(Interval& range, double to) {
    const double more = (to - length(range)) / 2;
    range.low -= more;
    range.high += more;
  }
  static double part(double value, const Interval& range) {
    if (length(range) <= 0) return 0.5;
    return std::clamp((value - range.low) / length(range), 0.0, 1.0);
  }

  Interval x_, y_;
  const int left_, top_, width_, height_;
};

class Drawing {
 public:
  Drawing(const Plot& plot, const Margins& margins) : frame_(plot, margins) {}

  void operator()(const Backdrop& picture) {
    const Pixel top = frame_.at({picture.x.low, picture.y.high}),
                end = frame_.at({picture.x.high, picture.y.low});
    svg_ += fmt::format(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "href=\"data:image/png;base64,{}\"/>",
        top.first, top.second, end.first - top.first, end.second - top.second,
        encode_base64(as_byte_span(picture.png)));
  }

  void operator()(const Dots& dots) {
    std::vector<Pixel> places;
    for (const Spot& spot : dots.spots)
      if (frame_.holds(spot)) places.push_back(frame_.at(spot));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.empty()) return;
    std::string path;
    for (const auto& [x, y] : places) path += fmt::format("M{} {}h0", x, y);
    if (dots.ink.needs_rim())
      svg_ += fmt::format("<path class=\"rim\" stroke-width=\"{}\" d=\"{}\"/>", dots.width + 1.4, path);
    svg_ += fmt::format("<path {} stroke-width=\"{}\" d=\"{}\"/>", dots.ink.attribute(), dots.width, path);
  }

  void operator()(const Bars& bars) {
    for (const Bar& bar : bars.bars) {
      const Pixel top = frame_.at({bar.low, bar.height}), end = frame_.at({bar.high, 0});
      if (end.second <= top.second && bar.height <= 0) continue;
      svg_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", top.first, top.second,
                          std::max(1, end.first - top.first - 1), std::max(1, end.second - top.second));
    }
  }

  void operator()(const Line& line) {
    std::string path;
    bool is_open = false;
    for (const Spot& spot : line.spots) {
      if (!frame_.holds(spot)) {
        is_open = false;
        continue;
      }
      const Pixel pixel = frame_.at(spot);
      path += fmt::format("{}{} {}", is_open ? 'L' : 'M', pixel.first, pixel.second);
      is_open = true;
    }
    if (!path.empty())
      svg_ += fmt::format("<g class=\"line\"><path {} d=\"{}\"/></g>", line.ink.attribute(), path);
  }

  void operator()(const Ticks& ticks) {
    std::vector<Pixel> places;
    for (const Spot& spot : ticks.spots)
      if (frame_.holds(spot)) places.push_back(frame_.at(spot));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    const int height = std::max(1, static_cast<int>(frame_.row() * 0.8));
    std::string path;
    for (const auto& [x, y] : places) path += fmt::format("M{} {}v-{}", x, y, height);
    if (!path.empty())
      svg_ += fmt::format("<path {} stroke-width=\"1\" d=\"{}\"/>", ticks.ink.attribute(), path);
  }

  // Moves a label up or down if there is no room, or omits it.
  void operator()(const Label& label) {
    if (!frame_.holds(label.spot)) return;
    const std::string text = shortened(label.text, kMostLabelBytes);
    const auto [x, y] = frame_.at(label.spot);
    const int half = static_cast<int>(kLabelLetter * static_cast<double>(text.size()) / 2);
    const int middle =
        std::clamp(x, frame_.left() + half, std::max(frame_.left() + half, frame_.right() - half));
    for (const int lines : {0, 1, -1, 2, -2}) {
      const Room room{middle - half, middle + half, y + lines * kLabelHeight};
      if (std::any_of(rooms_.begin(), rooms_.end(), [&](const Room& taken) { return taken.meets(room); }))
        continue;
      rooms_.push_back(room);
      svg_ += fmt::format("<text class=\"at\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", middle,
                          room.y, shown_text(text));
      return;
    }
  }

  void add_axes(const Plot& plot) {
    const int below = frame_.bottom() + 16;
    if (plot.x.has_ends) {
      svg_ += fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>", frame_.left(), frame_.bottom() + 3,
                          frame_.right());
      add_text(frame_.left(), below, "start", number_words(plot.x.range.low));
      add_text(frame_.right(), below, "end", number_words(plot.x.range.high));
    }
    add_text((frame_.left() + frame_.right()) / 2, below, "middle", plot.x.name);
    if (plot.y.has_ends) {
      add_text(frame_.left() - 4, frame_.bottom(), "end", number_words(plot.y.range.low));
      add_text(frame_.left() - 4, frame_.top() + 8, "end", number_words(plot.y.range.high));
    }
    svg_ += fmt::format(
        "<text x=\"12\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 12 {0})\">{1}</text>",
        (frame_.top() + frame_.bottom()) / 2, shown_text(shortened(plot.y.name, 60)));
  }

  const std::string& svg() const { return svg_; }

 private:
  struct Room {
    int left, right, y;
    bool meets(const Room& other) const {
      return left < other.right && other.left < right && std::abs(y - other.y) < kLabelHeight;
    }
  };

  void add_text(int x, int y, const char* anchor, const std::string& text) {
    svg_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                        shown_text(shortened(text, 60)));
  }

  const Frame frame_;
  std::vector<Room> rooms_;
  std::string svg_;
};

}  // namespace

std::string number_words(double value) {
  constexpr double kMostWhole = 1e9;
  if (value == std::trunc(value) && std::abs(value) < kMostWhole)
    return (value < 0 ? "-" : "") + count_words(static_cast<uint64_t>(std::abs(value)));
  return fmt::format("{:.4g}", value);
}

std::string svg_of(const Plot& plot) {
  Drawing drawing(plot, kForAxes);
  if (plot.behind) drawing(*plot.behind);
  for (const Mark& mark : plot.marks) std::visit(drawing, mark);
  drawing.add_axes(plot);
  return fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-t {}-d\"><title "
      "id=\"{}-t\">{}"
      "</title><desc id=\"{}-d\">{}</desc>{}</svg>",
      plot.width, plot.height, plot.id, plot.id, plot.id, shown_text(plot.title), plot.id,
      shown_text(plot.description), drawing.svg());
}

std::string bare_svg_of(const Plot& plot) {
  Drawing drawing(plot, kBare);
  if (plot.behind) drawing(*plot.behind);
  for (const Mark& mark : plot.marks) std::visit(drawing, mark);
  return fmt::format("<svg class=\"plot\" viewBox=\"0 0 {} {}\" aria-hidden=\"true\">{}</svg>", plot.width,
                     plot.height, drawing.svg());
}

std::string small_bars(const std::vector<double>& heights) {
  constexpr double kHeight = 20, kStep = 6;
  const double most = *std::max_element(heights.begin(), heights.end());
  std::string svg = fmt::format(
      "<svg class=\"mini\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
      kStep * static_cast<double>(heights.size()), kHeight);
  for (size_t i = 0; i < heights.size(); ++i) {
    if (heights[i] <= 0 || most <= 0) continue;
    const double height = std::max(1.0, kHeight * heights[i] / most);
    svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"/>",
                       kStep * static_cast<double>(i), kHeight - height, kStep - 1, height);
  }
  return svg + "</svg>";
}

std::string named_bars(const std::string& id, const std::string& title, const std::vector<NamedCount>& bars) {
  constexpr uint64_t kRow = 24, kTopOfBars = 10;
  uint64_t most = 1;
  for (const NamedCount& bar : bars) most = std::max(most, bar.count);
  std::string words, svg;
  for (size_t i = 0; i < bars.size(); ++i) {
    const std::string name = shown_text(shortened(bars[i].name, kMostLabelBytes));
    const double width = 1 + 400 * static_cast<double>(bars[i].count) / static_cast<double>(most);
    const uint64_t y = kTopOfBars + kRow * i;
    words += fmt::format("{}{} {}", i == 0 ? "" : ", ", name, count_words(bars[i].count));
    svg += fmt::format(
        "<text x=\"112\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"120\" y=\"{}\" width=\"{:.0f}\" "
        "height=\"16\" "
        "rx=\"3\"/><text x=\"{:.0f}\" y=\"{}\">{}</text>",
        y + 13, name, y, width, width + 128, y + 13, count_words(bars[i].count));
  }
  return fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 640 {0}\" role=\"img\" aria-labelledby=\"{1}-t {1}-d\"><title "
      "id=\"{1}-t\">{2}</title>"
      "<desc id=\"{1}-d\">{3}</desc>{4}</svg>",
      kRow * bars.size() + 16, id, shown_text(title), words, svg);
}

std::string scale_key(const std::string& low, const std::string& high, const std::string& words) {
  std::string steps;
  for (size_t i = 0; i < kScaleInks; ++i)
    steps += fmt::format("<path {} stroke-width=\"20\" d=\"M{} 10h20\"/>", Ink::step(i).attribute(), 20 * i);
  return fmt::format(
      "<p class=\"scale\">{}<svg viewBox=\"0 0 {} 20\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\">{}</svg>{} {}</p>",
      shown_text(low), 20 * kScaleInks, steps, shown_text(high), shown_text(words));
}

}  // namespace plainfs::serve
