#include "fs/serve/plots/field_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/core/text/base64.h"
#include "fs/report/words.h"
#include "fs/serve/plots/pixels.h"

namespace plainfs::serve {
namespace {

constexpr double kPlotWidth = 640, kMinFieldHeight = 120, kMaxFieldHeight = 480;
constexpr double kRight = 18, kTop = 14, kBelow = 40, kTickLetter = 9.5;  // on a phone
constexpr int kBroadCurve = 800;  // least width of a curve with the class "broad"
constexpr size_t kMaxTickBytes = 22;
constexpr uint32_t kColours = 255;  // the first entry of a palette is for missing values

// Returns a colour of viridis (matplotlib's default scale), as polynomials of degree 6 approximate it.
std::array<uint8_t, 3> viridis(double part) {
  constexpr double kTerms[7][3] = {
      {0.2777273272, 0.0054073445, 0.3340998053},   {0.1050930431, 1.4046135299, 1.3845901626},
      {-0.3308618287, 0.2148475595, 0.0950951630},  {-4.6342304990, -5.7991009734, -19.3324409563},
      {6.2282699363, 14.1799333668, 56.6905526007}, {4.7763849977, -13.7451453777, -65.3530326334},
      {-5.4354558559, 4.6458526122, 26.3124352496}};
  std::array<uint8_t, 3> colour{};
  for (size_t i = 0; i < 3; ++i) {
    double value = 0;
    for (size_t term = 7; term-- > 0;) value = value * part + kTerms[term][i];
    colour[i] = static_cast<uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
  }
  return colour;
}

std::string palette() {
  std::string colours(3, '\0');
  for (uint32_t i = 0; i < kColours; ++i)
    for (const uint8_t sample : viridis(i / double{kColours - 1})) colours += static_cast<char>(sample);
  return colours;
}

std::string png_source(uint32_t width, uint32_t height, const std::string& pixels) {
  return "data:image/png;base64," +
         encode_base64(as_byte_span(palette_png(width, height, pixels, palette())));
}

double longest_tick(const std::vector<Tick>& ticks) {
  size_t most = 0;
  for (const Tick& tick : ticks) most = std::max(most, std::min(tick.text.size(), kMaxTickBytes));
  return kTickLetter * static_cast<double>(most);
}

// The area of the values in a picture.
struct Area {
  double left, top, width, height;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

// A text along x: where it stands, and the room that it takes.
struct TextRoom {
  double x, begin, end;
  const char* anchor;
};

// A text that would leave the picture begins or ends at its tick.
TextRoom room_of(const Area& area, const Tick& tick) {
  const double x = area.left + tick.at * area.width;
  const double length = kTickLetter * static_cast<double>(std::min(tick.text.size(), kMaxTickBytes));
  if (x - length / 2 < area.left - 20) return {x, x, x + length, "start"};
  if (x + length / 2 > area.right() + kRight) return {x, x - length, x, "end"};
  return {x, x - length / 2, x + length / 2, "middle"};
}

// Returns the ticks along x with their texts. Those at the ends come first, and one that would touch another
// is left out.
std::string x_axis_svg(const Area& area, const TickedAxis& axis) {
  std::string svg;
  std::vector<TextRoom> taken;
  std::vector<size_t> order;
  for (size_t i = 0; i < axis.ticks.size(); ++i) order.push_back(i);
  if (order.size() > 2) std::rotate(order.begin() + 1, order.end() - 1, order.end());
  for (const size_t i : order) {
    const Tick& tick = axis.ticks[i];
    const TextRoom room = room_of(area, tick);
    svg += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v5\"/>", room.x, area.bottom());
    if (std::any_of(taken.begin(), taken.end(), [&](const TextRoom& other) {
          return room.begin < other.end + kTickLetter && other.begin < room.end + kTickLetter;
        }))
      continue;
    taken.push_back(room);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", room.x,
                       area.bottom() + 18, room.anchor, shown_text(tick.text, kMaxTickBytes));
  }
  if (!axis.name.empty())
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                       area.left + area.width / 2, area.bottom() + 34, shown_text(axis.name, 60));
  return svg;
}

std::string y_axis_svg(const Area& area, const TickedAxis& axis) {
  std::string svg;
  for (const Tick& tick : axis.ticks) {
    const double y = area.top + tick.at * area.height;
    svg += fmt::format(
        "<path class=\"axis\" d=\"M{0:.1f} {1:.1f}h-5\"/><text x=\"{2:.1f}\" "
        "y=\"{3:.1f}\" text-anchor=\"end\">{4}</text>",
        area.left, y, area.left - 8, y + 4, shown_text(tick.text, kMaxTickBytes));
  }
  if (!axis.name.empty())
    svg += fmt::format(
        "<g class=\"yn\"><text x=\"12\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 12 "
        "{0:.1f})\">{1}</text></g>",
        area.top + area.height / 2, shown_text(axis.name, 40));
  return svg;
}

// A text for screen readers, and the size of a picture.
struct PictureHead {
  const std::string &id, &title, &description;
  double width, height;
};

std::string svg_of_area(const PictureHead& head, const std::string& marks) {
  return fmt::format(
      "<svg class=\"plot{6}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"{2}-t "
      "{2}-d\"><title id=\"{2}-t\">{3}</title><desc id=\"{2}-d\">{4}</desc>{5}</svg>",
      head.width, head.height, head.id, shown_text(head.title), shown_text(head.description), marks,
      head.width >= kBroadCurve ? " broad" : "");
}

std::string field_pixels(const FieldPlot& plot) {
  std::string pixels;
  pixels.reserve(plot.values.size());
  for (const double value : plot.values)
    pixels += static_cast<char>(
        std::isfinite(value) ? 1 + std::lround((kColours - 1) * plot.range.part(value)) : 0);
  return pixels;
}

std::string links_svg(const FieldPlot& plot, const Area& area, double height) {
  std::string links;
  const double width = area.width / plot.link_columns, step = area.height / plot.link_rows;
  for (const FieldLink& link : plot.links)
    links += fmt::format(
        "<a href=\"{}\" rel=\"nofollow\" tabindex=\"-1\"><path d=\"M{:.1f} "
        "{:.1f}h{:.1f}v{:.1f}h-{:.1f}z\"/></a>",
        escaped(link.href), area.left + link.column * width, area.top + link.row * step, width, step, width);
  return fmt::format("<svg class=\"hits\" viewBox=\"0 0 {:.0f} {:.0f}\" aria-hidden=\"true\">{}</svg>",
                     kPlotWidth, height, links);
}

}  // namespace

std::string field_html(const FieldPlot& plot) {
  Area area{26 + longest_tick(plot.y.ticks) + (plot.y.name.empty() ? -14 : 0), kTop, 0, 0};
  area.width = kPlotWidth - area.left - kRight;
  area.height = std::clamp(area.width / plot.aspect, kMinFieldHeight, kMaxFieldHeight);
  const double height = area.bottom() + kBelow - (plot.x.name.empty() ? 14 : 0);
  std::string marks = fmt::format(
      "<defs><pattern id=\"{0}-h\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path class=\"axis\" d=\"M0 0v6\"/></pattern></defs>"
      "<rect class=\"gap\" x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\"/>"
      "<image x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\" preserveAspectRatio=\"none\" "
      "href=\"{5}\"/>",
      plot.id, area.left, area.top, area.width, area.height,
      png_source(plot.columns, plot.rows, field_pixels(plot)));
  marks += x_axis_svg(area, plot.x) + y_axis_svg(area, plot.y);
  if (plot.mark) {
    const double x = area.left + plot.mark->x * area.width, y = area.top + plot.mark->y * area.height;
    for (const char* ring : {"ring", "ring in"})
      marks += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>", ring, x, y);
  }
  const std::string picture = svg_of_area({plot.id, plot.title, plot.description, kPlotWidth, height}, marks);
  return fmt::format("<div class=\"field\">{}{}</div>", picture,
                     plot.links.empty() ? std::string() : links_svg(plot, area, height));
}

std::string field_key(const std::string& low, const std::string& high, const std::string& text) {
  std::string pixels;
  for (uint32_t i = 1; i <= kColours; ++i) pixels += static_cast<char>(i);
  return fmt::format("<p class=\"scale\">{}<img alt=\"\" src=\"{}\">{} {}</p>", shown_text(low),
                     png_source(kColours, 1, pixels), shown_text(high), shown_text(text));
}

std::string curve_svg(const CurvePlot& plot) {
  constexpr size_t kTicks = 5;
  std::vector<Tick> numbers;
  for (const double value : round_numbers(plot.range, kTicks))
    numbers.push_back({1 - plot.range.part(value), fmt::format("{:.10g}", value)});
  if (numbers.empty()) numbers.push_back({0.5, number_text(plot.range.low)});
  Area area{32 + longest_tick(numbers), kTop, 0, plot.height - kTop - kBelow};
  area.width = plot.width - area.left - kRight;
  std::string marks, path;
  for (const Tick& tick : numbers)
    marks += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>", area.left,
                         area.top + tick.at * area.height, area.width);
  if (plot.mark)
    marks += fmt::format("<path class=\"here\" d=\"M{:.1f} {:.1f}v{:.1f}\"/>",
                         area.left + *plot.mark * area.width, area.top, area.height);
  bool is_open = false;
  for (size_t i = 0; i < plot.spots.size(); ++i) {
    const Spot& spot = plot.spots[i];
    const bool has_place = std::isfinite(spot.x) && std::isfinite(spot.y);
    if (has_place) {
      path += fmt::format("{}{:.1f} {:.1f}", is_open ? 'L' : 'M', area.left + spot.x * area.width,
                          area.top + (1 - plot.range.part(spot.y)) * area.height);
      // A value between two gaps is a dot.
      const bool is_alone = !is_open && (i + 1 == plot.spots.size() || !std::isfinite(plot.spots[i + 1].y));
      if (is_alone) path += "h0";
    }
    is_open = has_place;
  }
  marks += fmt::format("<g class=\"line\"><path class=\"k0\" d=\"{}\"/></g>", path);
  marks += x_axis_svg(area, plot.x) + y_axis_svg(area, {plot.y_name, numbers});
  return svg_of_area({plot.id, plot.title, plot.description, double(plot.width), double(plot.height)}, marks);
}

}  // namespace plainfs::serve
