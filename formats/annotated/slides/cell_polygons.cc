#include "formats/annotated/slides/cell_polygons.h"

#include <cmath>
#include <functional>
#include <optional>

#include "cache/request.h"
#include "formats/core/base/bytes.h"
#include "formats/core/text/json.h"

namespace plainfs::annotated {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr size_t kMaxFeatureBytes = size_t{16} << 20;
constexpr size_t kMaxDepth = 64;

// Splits the text of a FeatureCollection into its features: the objects in an array of the outermost object.
class FeatureSplitter {
 public:
  explicit FeatureSplitter(std::function<void(const std::string&)> visit) : visit_(std::move(visit)) {}

  void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  void finish() const {
    if (!open_.empty() || is_in_text_) throw damaged("the file is truncated");
  }

 private:
  void add(char c) {
    if (is_in_text_) {
      keep(c);
      if (is_escaped_)
        is_escaped_ = false;
      else if (c == '\\')
        is_escaped_ = true;
      else
        is_in_text_ = c != '"';
      return;
    }
    if (c == '{' || c == '[') {
      is_feature_ = is_feature_ || (c == '{' && open_ == "{[");
      if (open_.size() >= kMaxDepth) throw damaged("nested more than {} times", kMaxDepth);
      open_ += c;
      keep(c);
    } else if (c == '}' || c == ']') {
      if (open_.empty() || open_.back() != (c == '}' ? '{' : '[')) throw damaged("the brackets do not match");
      open_.pop_back();
      keep(c);
      if (is_feature_ && open_ == "{[") {
        visit_(feature_);
        feature_.clear();
        is_feature_ = false;
      }
    } else {
      is_in_text_ = c == '"';
      keep(c);
    }
  }
  void keep(char c) {
    if (!is_feature_) return;
    if (feature_.size() >= kMaxFeatureBytes) throw damaged("a feature of over {} bytes", kMaxFeatureBytes);
    feature_ += c;
  }

  const std::function<void(const std::string&)> visit_;
  std::string open_;     // the brackets that are open
  std::string feature_;  // as far as it has been read
  bool is_feature_ = false, is_in_text_ = false, is_escaped_ = false;
};

struct Point {
  double x, y;
};

Point point_in(const Json& json) {
  const Json::List* const numbers = json.list();
  const auto number = [&](size_t i) {
    return numbers && i < numbers->size() ? (*numbers)[i].as_double() : std::nullopt;
  };
  const std::optional<double> x = number(0), y = number(1);
  if (!x || !y) throw damaged("a point is not two numbers");
  return {*x, *y};
}

// The area of polygons, and their first moments.
struct Moments {
  double area = 0, x = 0, y = 0;

  // Adds a ring, or takes it out of the polygon around it. Distances are from `origin`, for precision.
  void add(const std::vector<Point>& ring, const Point& origin, bool is_hole) {
    Moments own;
    for (size_t i = 0; i < ring.size(); ++i) {
      const Point a{ring[i].x - origin.x, ring[i].y - origin.y};
      const Point& next = ring[(i + 1) % ring.size()];
      const Point b{next.x - origin.x, next.y - origin.y};
      const double cross = a.x * b.y - b.x * a.y;
      own.area += cross / 2;
      own.x += (a.x + b.x) * cross / 6;
      own.y += (a.y + b.y) * cross / 6;
    }
    const double sign = (own.area < 0 ? -1 : 1) * (is_hole ? -1 : 1);
    area += sign * own.area;
    x += sign * own.x;
    y += sign * own.y;
  }
};

Point mean_of(const std::vector<Point>& points) {
  Point mean{0, 0};
  for (const Point& point : points) {
    mean.x += point.x / static_cast<double>(points.size());
    mean.y += point.y / static_cast<double>(points.size());
  }
  return mean;
}

Point centroid_of(const Json& polygon) {
  const Json::List* const rings = polygon.list();
  if (!rings || rings->empty()) throw damaged("a polygon without a ring");
  Moments moments;
  std::vector<Point> outer;
  for (const Json& ring : *rings) {
    const Json::List* const points = ring.list();
    if (!points || points->empty()) throw damaged("a ring without points");
    std::vector<Point> all;
    for (const Json& point : *points) all.push_back(point_in(point));
    const bool is_hole = !outer.empty();
    if (!is_hole) outer = all;
    moments.add(all, outer.front(), is_hole);
  }
  if (!(std::abs(moments.area) > 0)) return mean_of(outer);
  return {outer.front().x + moments.x / moments.area, outer.front().y + moments.y / moments.area};
}

CellCentroid centroid_in(const Json& feature) {
  const Json *const geometry = feature.find("geometry"), *const properties = feature.find("properties");
  const Json* const id = properties ? properties->find("cell_id") : nullptr;
  const std::optional<uint64_t> cell = id ? id->as_uint64() : std::nullopt;
  if (!cell) throw damaged("a feature without the number of its cell (cell_id)");
  const Json* const type = geometry ? geometry->find("type") : nullptr;
  const Json* const coordinates = geometry ? geometry->find("coordinates") : nullptr;
  if (!type || !type->text() || *type->text() != "Polygon" || !coordinates)
    throw damaged("the cell {} is no polygon", *cell);
  const Point centroid = centroid_of(*coordinates);
  return {*cell, centroid.x, centroid.y};
}

}  // namespace

std::vector<CellCentroid> cell_centroids(const std::string& location, Context& context) try {
  std::vector<CellCentroid> all;
  FeatureSplitter splitter(
      [&](const std::string& feature) { all.push_back(centroid_in(parse_json(feature))); });
  const FilePtr file = context.files.open(location);
  for (uint64_t at = 0; at < file->size(); at += kPieceBytes) {
    check_cancelled();
    const Bytes piece =
        file->read_at(at, static_cast<size_t>(std::min<uint64_t>(kPieceBytes, file->size() - at)));
    splitter.add(as_text(piece));
  }
  splitter.finish();
  return all;
} catch (const Error& error) {
  throw error.at(location);
}

}  // namespace plainfs::annotated
