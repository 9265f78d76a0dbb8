#include "fs/serve/pages/cells/outlines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <tuple>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/registry.h"
#include "fs/report/words.h"
#include "fs/serve/pages/cells/spatial_maps.h"
#include "fs/serve/plots/pixels.h"
#include "fs/views/images/picture.h"

namespace plainfs::serve {
namespace {

constexpr double kOutlineSide = 800;
constexpr char kOutlineColours[] = "\x00\x00\x00\xff\x8c\x00";  // transparent and orange
constexpr uint64_t kMaxLabelPixels = uint64_t{1} << 21;
constexpr uint64_t kMaxOutlineRows = uint64_t{1} << 22, kOutlineRowsAtOnce = uint64_t{1} << 14;
constexpr int kCircleSides = 32;

GroupPtr root_around(const Node& table) {
  const GroupPtr above = table.parts ? table.parts->parent() : nullptr;
  return above ? above->parent() : nullptr;
}

// Returns an element by "labels/cells"; nullopt if it does not exist.
std::optional<Node> element_at(const plainfs::Group& root, const std::string& name, Context& context) {
  const size_t slash = name.find('/');
  const std::string path[] = {name.substr(0, slash), name.substr(slash + 1)};
  std::optional<Node> node = find_path(root, path);
  if (node) node = refine(*std::move(node), context);
  return node && node->parts ? std::move(node) : std::nullopt;
}

// The frame of a picture of outlines: its pixels, and the place of each in pixels of the image.
struct OutlineFrame {
  OutlineFrame(const Backdrop& backdrop) : area(backdrop) {
    const double w = area.x.high - area.x.low, h = area.y.high - area.y.low,
                 unit = kOutlineSide / std::max(w, h);
    width = static_cast<uint32_t>(std::max(1L, std::lround(w * unit)));
    height = static_cast<uint32_t>(std::max(1L, std::lround(h * unit)));
    across = w / width;
    down = h / height;
  }
  // Returns the place of an image's place in the picture.
  std::pair<double, double> at(const std::pair<double, double>& place) const {
    return {place.first / across, place.second / down};
  }

  const Backdrop& area;
  uint32_t width, height;
  double across, down;  // the size of a pixel in those of the image
};

// The objects of labels, with few enough pixels to be held.
class LabelPlane {
 public:
  explicit LabelPlane(const Image& image) {
    ImageChoice choice;
    choice.least_side = static_cast<uint64_t>(kOutlineSide);
    choice.max_pixels = kMaxLabelPixels;
    const std::optional<Picture> picture = chosen_picture(image, choice);
    if (!picture || !picture->is_labels)
      throw unsupported("the labels have no level that is small enough to be drawn");
    width_ = picture->width();
    height_ = picture->height();
    const Shape& all = image.levels.front().values->shape();
    across_ = static_cast<double>(width_) / static_cast<double>(all[picture->x_axis]);
    down_ = static_cast<double>(height_) / static_cast<double>(all[picture->y_axis]);
    Box plane{picture->layers.front().origin, Shape(all.size(), 1)};
    plane.extent[picture->y_axis] = height_;
    plane.extent[picture->x_axis] = width_;
    labels_ = label_numbers(picture->values->dtype(), picture->values->read(plane));
  }

  // Returns the object at a place of the largest level; 0 outside.
  uint64_t at(double x, double y) const {
    const double column = std::floor(x * across_), row = std::floor(y * down_);
    if (!(column >= 0 && row >= 0 && column < static_cast<double>(width_) &&
          row < static_cast<double>(height_)))
      return 0;
    return labels_[static_cast<size_t>(row) * width_ + static_cast<size_t>(column)];
  }

 private:
  uint64_t width_, height_;
  double across_, down_;
  std::vector<uint64_t> labels_;
};

// map: from the pixels of the image to those of the labels.
void draw_labels(const Image& image, const Affine& map, const OutlineFrame& frame, LinePlane& plane) {
  const LabelPlane labels(image);
  const size_t width = frame.width, height = frame.height;
  std::vector<uint64_t> objects(width * height);
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      const auto [across, down] =
          map((static_cast<double>(x) + 0.5) * frame.across, (static_cast<double>(y) + 0.5) * frame.down);
      objects[y * width + x] = labels.at(across, down);
    }
  const auto differs = [&](size_t at, bool exists, size_t other) {
    return exists && objects[other] != objects[at];
  };
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      const size_t at = y * width + x;
      if (objects[at] != 0 && (differs(at, x > 0, at - 1) || differs(at, x + 1 < width, at + 1) ||
                               differs(at, y > 0, at - width) || differs(at, y + 1 < height, at + width)))
        plane.dot(static_cast<double>(x), static_cast<double>(y));
    }
}

const Table* table_in(const plainfs::Group& element, std::vector<Member>& members) {
  members = element.members();
  for (const Member& member : members)
    if (const auto* table = std::get_if<Table>(&member.node.content)) return table;
  return nullptr;
}

// Draws the rows of a table of shapes or points.
class ShapeDrawing {
 public:
  ShapeDrawing(const Table& table, const Affine& map, const OutlineFrame& frame, LinePlane& plane)
      : rows_(table.rows),
        geometry_(column_values(table.columns, "geometry")),
        x_(column_values(table.columns, "x")),
        y_(column_values(table.columns, "y")),
        radius_(column_values(table.columns, "radius")),
        map_(map),
        frame_(frame),
        plane_(plane) {}

  void draw() {
    const bool has_text = geometry_ && geometry_->dtype().kind == Kind::text;
    const bool has_places = x_ && y_ && x_->dtype().is_numeric() && y_->dtype().is_numeric();
    if (!has_text && !has_places) throw unsupported("its table has neither geometries nor columns x and y");
    if (rows_ > kMaxOutlineRows) throw unsupported("{} shapes are too many", count_text(rows_));
    for (uint64_t first = 0; first < rows_; first += kOutlineRowsAtOnce) {
      check_cancelled();
      const Box part{{first}, {std::min(kOutlineRowsAtOnce, rows_ - first)}};
      radii_.clear();
      if (radius_ && radius_->dtype().is_numeric())
        append_doubles(radius_->dtype(), radius_->read(part), radii_);
      has_text ? draw_geometries(part) : draw_places(part);
    }
  }

 private:
  void draw_geometries(const Box& part) {
    const Elements texts = geometry_->read(part);
    for (uint64_t i = 0; i < texts.count; ++i) {
      if (texts.is_missing(i)) continue;
      for (const Ring& ring : rings_in(texts.text(i)))
        if (ring.size() == 1)
          draw_place(ring[0], i);
        else
          draw_ring(ring);
    }
  }

  void draw_places(const Box& part) {
    std::vector<double> x, y;
    append_doubles(x_->dtype(), x_->read(part), x);
    append_doubles(y_->dtype(), y_->read(part), y);
    for (uint64_t i = 0; i < x.size(); ++i) draw_place({x[i], y[i]}, i);
  }

  void draw_ring(const Ring& ring) {
    for (size_t i = 0; i + 1 < ring.size(); ++i) plane_.line(placed(ring[i]), placed(ring[i + 1]));
  }

  void draw_place(const std::pair<double, double>& place, uint64_t row) {
    if (row < radii_.size() && radii_[row] > 0) {
      Ring circle;
      for (int i = 0; i <= kCircleSides; ++i) {
        const double angle = 2 * std::numbers::pi * (i % kCircleSides) / kCircleSides;
        circle.emplace_back(place.first + radii_[row] * std::cos(angle),
                            place.second + radii_[row] * std::sin(angle));
      }
      return draw_ring(circle);
    }
    const auto [x, y] = placed(place);
    for (const double right : {0.0, 1.0})
      for (const double below : {0.0, 1.0}) plane_.dot(std::round(x) - 1 + right, std::round(y) - 1 + below);
  }

  std::pair<double, double> placed(const std::pair<double, double>& place) const {
    return frame_.at(map_(place.first, place.second));
  }

  const uint64_t rows_;
  const ArrayPtr geometry_, x_, y_, radius_;
  const Affine& map_;
  const OutlineFrame& frame_;
  LinePlane& plane_;
  std::vector<double> radii_;
};

class WktReader {
 public:
  explicit WktReader(std::string_view text) : text_(text) {}

  std::vector<Ring> read() {
    std::vector<Ring> rings;
    Ring places;
    std::vector<double> place;
    const auto end_place = [&] {
      if (place.size() >= 2) places.emplace_back(place[0], place[1]);
      place.clear();
    };
    size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '(') {
        ++depth;
      } else if (c == ')') {
        if (depth-- == 0) throw damaged("geometry: ')' without '('");
        end_place();
        end_ring(places, rings);
      } else if (c == ',') {
        end_place();
        if (depth == multipoint_depth_) end_ring(places, rings);
      } else if ((c >= '0' && c <= '9') || c == '-' || c == '.') {
        place.push_back(number());
        continue;
      } else if (text_.substr(at_).starts_with("MULTIPOINT")) {
        multipoint_depth_ = depth + 1;
      }
      ++at_;
    }
    if (depth != 0) throw damaged("geometry: '(' without ')'");
    const bool is_empty = text_.empty() || text_.find("EMPTY") != std::string_view::npos;
    if (rings.empty() && !is_empty) throw damaged("a geometry is neither WKB nor WKT");
    return rings;
  }

 private:
  static void end_ring(Ring& places, std::vector<Ring>& rings) {
    if (!places.empty()) rings.push_back(std::exchange(places, {}));
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) throw damaged("geometry: a number is expected at character {}", at_);
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  const std::string_view text_;
  size_t at_ = 0;
  size_t multipoint_depth_ = SIZE_MAX;  // at which a comma separates points
};

}  // namespace

std::vector<Ring> rings_in(std::string_view wkt) {
  return WktReader(wkt).read();
}

void LinePlane::dot(double x, double y) {
  const double column = std::floor(x), row = std::floor(y);
  if (column >= 0 && row >= 0 && column < width_ && row < height_)
    pixels_[static_cast<size_t>(row) * width_ + static_cast<size_t>(column)] = '\1';
}

void LinePlane::line(std::pair<double, double> from, std::pair<double, double> to) {
  const auto is_apart = [](double a, double b, double side) {
    return std::max(a, b) < 0 || std::min(a, b) >= side;
  };
  const double length = std::max(std::abs(to.first - from.first), std::abs(to.second - from.second));
  if (!std::isfinite(length) || is_apart(from.first, to.first, width_) ||
      is_apart(from.second, to.second, height_))
    return;
  const double steps = std::max(1.0, std::ceil(length));
  // Only the steps within the plane are taken, however long the line is.
  double first = 0, last = steps;
  for (const auto& [a, b, side] :
       {std::tuple(from.first, to.first, width_), {from.second, to.second, height_}}) {
    if (a == b) continue;
    const double low = (-1 - a) / (b - a) * steps, high = (side + 1.0 - a) / (b - a) * steps;
    first = std::max(first, std::floor(std::min(low, high)));
    last = std::min(last, std::ceil(std::max(low, high)));
  }
  for (double i = first; i <= last; ++i)
    dot(from.first + (to.first - from.first) * i / steps,
        from.second + (to.second - from.second) * i / steps);
}

std::string LinePlane::widened() const {
  std::string wide = pixels_;
  for (size_t y = 0; y < height_; ++y)
    for (size_t x = 0; x < width_; ++x) {
      const size_t at = y * width_ + x;
      if (pixels_[at] == '\0') continue;
      if (x > 0) wide[at - 1] = '\1';
      if (x + 1 < width_) wide[at + 1] = '\1';
      if (y > 0) wide[at - width_] = '\1';
      if (y + 1 < height_) wide[at + width_] = '\1';
    }
  return wide;
}

std::vector<std::string> outline_names(const Node& table, const std::string& image, Context& context) {
  const GroupPtr root = root_around(table);
  const GroupPtr images = root ? find_group(*root, "images") : nullptr;
  std::vector<std::string> names;
  if (!images) return names;
  const std::optional<Node> picture = images->find(image);
  if (!picture || !picture->parts) return names;
  const std::map<std::string, Affine> systems = systems_of(*picture->parts);
  for (const char* const kind : {"labels", "shapes", "points"}) {
    const GroupPtr group = find_group(*root, kind);
    if (!group) continue;
    for (Member& member : group->members()) {
      const Node node = refine(std::move(member.node), context);
      if (node.parts && map_between(systems_of(*node.parts), systems))
        names.push_back(fmt::format("{}/{}", kind, member.name));
    }
  }
  return names;
}

Backdrop outlines_of(const Node& table, const std::string& image, const std::string& name,
                     const Backdrop& area, Context& context) {
  const GroupPtr root = root_around(table);
  const std::optional<Node> element = element_at(*root, name, context),
                            picture = element_at(*root, "images/" + image, context);
  const std::optional<Affine> map =
      element && picture ? map_between(systems_of(*element->parts), systems_of(*picture->parts))
                         : std::nullopt;
  const std::optional<Affine> back = map ? map->inverse() : std::nullopt;
  if (!back) throw unsupported("{} shares no coordinate system with the image", name);
  const OutlineFrame frame(area);
  LinePlane plane(frame.width, frame.height);
  try {
    std::vector<Member> members;
    if (const auto* labels = std::get_if<Image>(&element->content)) {
      if (labels->error) throw *labels->error;
      draw_labels(*labels, *back, frame, plane);
    } else if (const Table* const shapes = table_in(*element->parts, members)) {
      ShapeDrawing(*shapes, *map, frame, plane).draw();
    } else {
      throw unsupported("it is neither labels nor a table");
    }
  } catch (const Error& error) {
    throw error.at(name + " is not drawn");
  }
  return {palette_png(frame.width, frame.height, plane.widened(), {kOutlineColours, 6}), area.x, area.y};
}

}  // namespace plainfs::serve
