#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/core/text/base64.h"
#include "fs/report/words.h"
#include "fs/serve/plots/pixels.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

// Pixels around the area of the marks.
struct Margins {
  int left, right, top, bottom;
};
constexpr Margins kBare{6, 6, 6, 6};
constexpr int kBroad = 800;    // least width of a plot with the class "broad"
constexpr double kLetter = 7;  // approximate width of a letter
constexpr int kLabelHeight = 15;
constexpr double kLabelLetter = 7.2;  // of a label
constexpr size_t kMaxLabelBytes = 24;
// A phone shows a plot at half of its width or less, and the style sheet makes its text larger there.
constexpr double kLargeLetter = 10.4, kLargeLetterOfBroad = 16;
constexpr int kLargeLabelHeight = 22;

using Pixel = std::pair<int, int>;

int letters_in(std::string_view text) {
  return static_cast<int>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

// Returns at most `most` bytes of a text, escaped; before a shorter one the whole text as its title.
std::string shortened_text(const std::string& text, size_t most) {
  const std::string shown = shown_text(shortened(text, most));
  return text.size() <= most ? shown : fmt::format("<title>{}</title>{}", shown_text(text), shown);
}

// Returns the margins of a plot with axes. The numbers along y have room on the left, after the name.
Margins margins_for_axes(const Plot& plot) {
  Margins margins{48, 16, 16, plot.width >= kBroad ? 34 : 30};
  if (!plot.y.has_ends) return margins;
  constexpr int kName = 20, kGap = 6;
  for (const double end : {plot.y.range.low, plot.y.range.high})
    margins.left =
        std::max(margins.left, kName + kGap + static_cast<int>(kLetter * letters_in(number_text(end))));
  return margins;
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
    if (!std::isfinite(width_ / unit) || !std::isfinite(height_ / unit)) return;
    widen(x_, width_ / unit);
    widen(y_, height_ / unit);
  }

  bool holds(Spot spot) const {
    return std::isfinite(spot.x) && std::isfinite(spot.y) && spot.x >= x_.low && spot.x <= x_.high;
  }
  Pixel at(Spot spot) const {
    return {left_ + static_cast<int>(std::lround(x_.part(spot.x) * width_)),
            top_ + static_cast<int>(std::lround((1 - y_.part(spot.y)) * height_))};
  }
  int left() const { return left_; }
  int right() const { return left_ + width_; }
  int top() const { return top_; }
  int bottom() const { return top_ + height_; }
  // Returns the left, the top, the width and the height, and the ends of both axes.
  std::string text() const {
    return fmt::format("{} {} {} {} {} {} {} {}", left_, top_, width_, height_, x_.low, x_.high, y_.low,
                       y_.high);
  }
  double row() const { return height_ / std::max(1.0, length(y_)); }

 private:
  static double length(const Interval& range) { return range.high - range.low; }
  static void widen(Interval& range, double to) {
    const double more = (to - length(range)) / 2;
    range.low -= more;
    range.high += more;
  }

  Interval x_, y_;
  const int left_, top_, width_, height_;
};

class Drawing {
 public:
  Drawing(const Plot& plot, const Margins& margins)
      : frame_(plot, margins), is_over_picture_(plot.behind != nullptr) {}

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
    const std::string path = strokes_at(dots.spots, "h0");
    if (path.empty()) return;
    if (dots.ink.needs_rim() || is_over_picture_)
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
    const int height = std::max(1, static_cast<int>(frame_.row() * 0.8));
    const std::string path = strokes_at(ticks.spots, fmt::format("v-{}", height));
    if (!path.empty())
      svg_ += fmt::format("<path {} stroke-width=\"1\" d=\"{}\"/>", ticks.ink.attribute(), path);
  }

  void operator()(const Bands& bands) {
    std::string path;
    for (const Interval& band : bands.x) {
      const int left = frame_.at({band.low, 0}).first, right = frame_.at({band.high, 0}).first;
      path += fmt::format("M{} {}H{}V{}H{}z", left, frame_.top(), std::max(right, left + 1), frame_.bottom(),
                          left);
    }
    if (!path.empty()) svg_ += fmt::format("<path class=\"band\" d=\"{}\"/>", path);
  }

  // Moves a label up or down if there is no room, or omits it. A label without room for large text is
  // "tight".
  void operator()(const Label& label) {
    if (!frame_.holds(label.spot)) return;
    const std::string text = shortened(label.text, kMaxLabelBytes);
    const auto [x, y] = frame_.at(label.spot);
    const int half = static_cast<int>(kLabelLetter * letters_in(text) / 2);
    const int large_half = static_cast<int>(kLargeLetter * letters_in(text) / 2);
    const int middle = std::clamp(x, frame_.left() + large_half,
                                  std::max(frame_.left() + large_half, frame_.right() - large_half));
    for (const int lines : {0, 1, -1, 2, -2}) {
      const Room room{middle - half, middle + half, y + lines * kLabelHeight};
      if (!take(room, kLabelHeight, rooms_)) continue;
      const bool has_large_room =
          take({middle - large_half, middle + large_half, room.y}, kLargeLabelHeight, large_rooms_);
      svg_ += fmt::format("<text class=\"at{}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                          has_large_room ? "" : " tight", middle, room.y,
                          shortened_text(label.text, kMaxLabelBytes));
      return;
    }
  }

  void add_axes(const Plot& plot) {
    const double letter = plot.width >= kBroad ? kLargeLetterOfBroad : kLargeLetter;
    const int below = frame_.bottom() + 16, middle = (frame_.left() + frame_.right()) / 2;
    const std::string low = number_text(plot.x.range.low), high = number_text(plot.x.range.high);
    double room = frame_.right() - frame_.left();
    if (plot.x.has_ends) {
      svg_ += fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>", frame_.left(), frame_.bottom() + 3,
                          frame_.right());
      add_text("x", frame_.left(), below, "start", low);
      if (high != low) add_text("x", frame_.right(), below, "end", high);
      room -= letter * 2 * (1 + std::max(letters_in(low), letters_in(high)));
    }
    add_text("x", middle, below, "middle", shortened_text(plot.x.name, letters_for(room, letter)));
    if (plot.y.has_ends) {
      const std::string least = number_text(plot.y.range.low), most = number_text(plot.y.range.high);
      add_text("y", frame_.left() - 4, frame_.bottom(), "end", least);
      if (most != least) add_text("y", frame_.left() - 4, frame_.top() + 8, "end", most);
    }
    svg_ += fmt::format(
        "<g class=\"yn\"><text x=\"12\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 12 "
        "{0})\">{1}</text></g>",
        (frame_.top() + frame_.bottom()) / 2,
        shortened_text(plot.y.name, letters_for(frame_.bottom() - frame_.top(), letter)));
  }

  const std::string& svg() const { return svg_; }
  const Frame& frame() const { return frame_; }

 private:
  struct Room {
    int left, right, y;
    bool meets(const Room& other, int height) const {
      return left < other.right && other.left < right && std::abs(y - other.y) < height;
    }
  };

  // Returns a path with the stroke from the pixel of each spot, once for those on the same pixel.
  std::string strokes_at(const std::vector<Spot>& spots, std::string_view stroke) const {
    std::vector<Pixel> places;
    for (const Spot& spot : spots)
      if (frame_.holds(spot)) places.push_back(frame_.at(spot));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::string path;
    for (const auto& [x, y] : places) path += fmt::format("M{} {}{}", x, y, stroke);
    return path;
  }

  // Returns false if the room is taken.
  static bool take(const Room& room, int height, std::vector<Room>& taken) {
    if (std::any_of(taken.begin(), taken.end(), [&](const Room& other) { return other.meets(room, height); }))
      return false;
    taken.push_back(room);
    return true;
  }

  static size_t letters_for(double room, double letter) {
    constexpr double kFewest = 8, kMax = 60;
    return static_cast<size_t>(std::clamp(room / letter, kFewest, kMax));
  }

  // axis: the class of the text. html: escaped.
  void add_text(const char* axis, int x, int y, const char* anchor, const std::string& html) {
    svg_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", axis, x, y,
                        anchor, html);
  }

  const Frame frame_;
  const bool is_over_picture_;             // the dots then need a rim on any colour
  std::vector<Room> rooms_, large_rooms_;  // of labels, and of labels with large text
  std::string svg_;
};

}  // namespace

double Interval::part(double value) const {
  if (high <= low) return 0.5;
  // The distance of two large numbers is infinite, and that of halves of tiny ones is 0.
  const bool is_large = !std::isfinite(high - low);
  const double place = is_large ? (value / 2 - low / 2) / (high / 2 - low / 2) : (value - low) / (high - low);
  return std::clamp(place, 0.0, 1.0);
}

std::string number_text(double value) {
  constexpr double kMaxWhole = 1e9, kLeastRounded = 999.95;
  const double size = std::abs(value);
  if (size < kMaxWhole && (value == std::trunc(value) || size >= kLeastRounded))
    return (value < 0 ? "-" : "") + count_text(static_cast<uint64_t>(std::llround(size)));
  return fmt::format("{:.4g}", value);
}

std::string svg_of(const Plot& plot) {
  Drawing drawing(plot, margins_for_axes(plot));
  if (plot.behind) drawing(*plot.behind);
  if (plot.lines) drawing(*plot.lines);
  for (const Mark& mark : plot.marks) std::visit(drawing, mark);
  drawing.add_axes(plot);
  return fmt::format(
      "<svg class=\"plot{}{}\" viewBox=\"0 0 {} {}\"{} role=\"img\" aria-labelledby=\"{}-t {}-d\"><title "
      "id=\"{}-t\">{}"
      "</title><desc id=\"{}-d\">{}</desc>{}</svg>",
      plot.width >= kBroad ? " broad" : "", plot.behind ? " over" : "", plot.width, plot.height,
      plot.has_axes_text ? fmt::format(" data-axes=\"{}\"", drawing.frame().text()) : "", plot.id, plot.id,
      plot.id, shown_text(plot.title), plot.id, shown_text(plot.description), drawing.svg());
}

std::string bare_svg_of(const Plot& plot) {
  Drawing drawing(plot, kBare);
  if (plot.behind) drawing(*plot.behind);
  if (plot.lines) drawing(*plot.lines);
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
  constexpr double kWidth = 640, kGap = 8, kLeastLength = 100;
  uint64_t most = 1;
  int letters = 0;
  for (const NamedCount& bar : bars) {
    most = std::max(most, bar.count);
    letters = std::max(letters, letters_in(shortened(bar.name, kMaxLabelBytes)));
  }
  const double left = kGap + std::ceil(kLargeLetter * letters);
  const double length = std::max(
      kLeastLength, kWidth - left - 3 * kGap - kLargeLetter * static_cast<double>(count_text(most).size()));
  std::string text, svg;
  for (size_t i = 0; i < bars.size(); ++i) {
    const double width = 1 + length * static_cast<double>(bars[i].count) / static_cast<double>(most);
    const uint64_t y = kTopOfBars + kRow * i;
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", shown_text(bars[i].name), count_text(bars[i].count));
    svg += fmt::format(
        "<text x=\"{0:.0f}\" y=\"{1}\" text-anchor=\"end\">{2}</text><rect x=\"{3:.0f}\" y=\"{4}\" "
        "width=\"{5:.0f}\" height=\"16\" rx=\"3\"/><text x=\"{6:.0f}\" y=\"{1}\">{7}</text>",
        left, y + 13, shortened_text(bars[i].name, kMaxLabelBytes), left + kGap, y, width,
        left + width + 2 * kGap, count_text(bars[i].count));
  }
  return fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 640 {0}\" role=\"img\" aria-labelledby=\"{1}-t {1}-d\"><title "
      "id=\"{1}-t\">{2}</title>"
      "<desc id=\"{1}-d\">{3}</desc>{4}</svg>",
      kRow * bars.size() + 16, id, shown_text(title), text, svg);
}

std::string scale_key(const std::string& low, const std::string& high, const std::string& text) {
  std::string steps;
  for (size_t i = 0; i < kScaleInks; ++i)
    steps += fmt::format("<path {} stroke-width=\"20\" d=\"M{} 10h20\"/>", Ink::step(i).attribute(), 20 * i);
  return fmt::format(
      "<p class=\"scale\">{}<svg viewBox=\"0 0 {} 20\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\">{}</svg>{} {}</p>",
      shown_text(low), 20 * kScaleInks, steps, shown_text(high), shown_text(text));
}

}  // namespace plainfs::serve
