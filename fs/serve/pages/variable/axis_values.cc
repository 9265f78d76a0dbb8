#include "fs/serve/pages/variable/axis_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "formats/core/cf/coordinate.h"
#include "formats/core/cf/decoded.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "fs/serve/pages/model/nearest.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxDistinct = uint64_t{1} << 16;  // texts that are compared with each other
constexpr double kEven = 1e-3;                        // of a step, by which even steps may differ
constexpr std::string_view kMidnight = "T00:00:00", kNoSeconds = ":00";

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::any_of(known.begin(), known.end(),
                     [&](std::string_view each) { return is_same_in_any_case(text, each); });
}

AxisKind kind_by_name(std::string_view name) {
  if (is_one_of(name, {"latitude", "lat", "nav_lat"})) return AxisKind::latitude;
  if (is_one_of(name, {"longitude", "lon", "nav_lon"})) return AxisKind::longitude;
  if (is_one_of(name, {"y", "yc", "rlat", "south_north", "nj", "j", "northing", "projection_y_coordinate",
                       "grid_latitude"}))
    return AxisKind::y;
  if (is_one_of(name, {"x", "xc", "rlon", "west_east", "ni", "i", "easting", "projection_x_coordinate",
                       "grid_longitude"}))
    return AxisKind::x;
  return AxisKind::other;
}

// Returns the kind by the attributes of a coordinate (CF conventions, section 4), else by its name.
AxisKind kind_of_axis(const CfVariable& coordinate) {
  const Attributes::Readable attributes = coordinate.attributes.readable();
  const std::string units = attributes.text("units"), axis = attributes.text("axis");
  if (cf_times(coordinate, nullptr)) return AxisKind::time;
  if (is_one_of(units, {"degrees_north", "degree_north", "degrees_N", "degree_N", "degreesN", "degreeN"}))
    return AxisKind::latitude;
  if (is_one_of(units, {"degrees_east", "degree_east", "degrees_E", "degree_E", "degreesE", "degreeE"}))
    return AxisKind::longitude;
  if (const AxisKind kind = kind_by_name(attributes.text("standard_name")); kind != AxisKind::other)
    return kind;
  if (axis == "Y") return AxisKind::y;
  if (axis == "X") return AxisKind::x;
  if (axis == "Z" || !attributes.text("positive").empty()) return AxisKind::vertical;
  return kind_by_name(coordinate.name);
}

// Returns "60°N", "8.5°E", and "0°".
std::string degrees_text(double value, AxisKind kind) {
  const char* side = value == 0                   ? ""
                     : kind == AxisKind::latitude ? value < 0 ? "S" : "N"
                     : value < 0                  ? "W"
                                                  : "E";
  return fmt::format("{:.10g}°{}", std::abs(value), side);
}

bool is_in_degrees(AxisKind kind) {
  return kind == AxisKind::latitude || kind == AxisKind::longitude;
}

// Returns round degrees: people divide a circle by 30, not by 20 or 50.
std::vector<double> round_degrees(const Interval& range, size_t most) {
  for (const double step : {10.0, 15.0, 30.0, 45.0, 60.0, 90.0}) {
    const double first = std::ceil(range.low / step), last = std::floor(range.high / step);
    if (last - first + 1 > static_cast<double>(most)) continue;
    if (step == 10.0) break;  // a small part of the earth
    std::vector<double> numbers;
    for (double number = first; number <= last; ++number) numbers.push_back(number * step + 0.0);
    return numbers;
  }
  return round_numbers(range, most);
}

// Returns a time as short as it is exact: "2020-01-07", "2020-01-07T12:00".
std::string short_time(std::string text) {
  for (const std::string_view end : {kMidnight, kNoSeconds})
    if (text.ends_with(end)) return text.substr(0, text.size() - end.size());
  return text;
}

// Returns whether the text is a number that no coordinate can be near to.
bool is_endless(std::string_view text) {
  if (text.starts_with('~')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return end == text.data() + text.size() &&
         (error == std::errc::result_out_of_range || (error == std::errc() && !std::isfinite(number)));
}

}  // namespace

AxisValues::AxisValues(const CfDataset& dataset, std::string dimension, uint64_t length)
    : dataset_(dataset), dimension_(std::move(dimension)), length_(length), kind_(kind_by_name(dimension_)) {
  if (const CfVariable* const coordinate = dataset.coordinate(dimension_, length)) read(*coordinate);
}

void AxisValues::read(const CfVariable& coordinate) {
  kind_ = kind_of_axis(coordinate);
  const Attributes::Readable attributes = coordinate.attributes.readable();
  is_positive_down_ = is_same_in_any_case(attributes.text("positive"), "down");
  units_ = attributes.text("units");
  calendar_ = attributes.text("calendar");
  if (calendar_.empty()) calendar_ = "standard";
  type_ = coordinate.decoded->dtype();
  if (length_ > kMaxCoordinate) return;
  elements_ = read_all(*coordinate.decoded);
  // Times are texts when they are decoded, and are in order as their counts are.
  const Array& numbers = is_time() ? *coordinate.values : *coordinate.decoded;
  if (!numbers.dtype().is_numeric() || numbers.shape().size() != 1) return;
  append_doubles(numbers.dtype(), read_all(numbers), positions_);
  for (uint64_t i = 0; i < length_; ++i)
    if (elements_->is_missing(i)) positions_[i] = NAN;
  look_at_order();
}

void AxisValues::look_at_order() {
  if (positions_.size() < 2) return;
  const auto is_between = [](double a, double b) { return std::isfinite(b - a) && a < b; };
  if (std::adjacent_find(positions_.begin(), positions_.end(),
                         [&](double a, double b) { return !is_between(a, b); }) == positions_.end())
    order_ = 1;
  else if (std::adjacent_find(positions_.begin(), positions_.end(),
                              [&](double a, double b) { return !is_between(b, a); }) == positions_.end())
    order_ = -1;
  if (order_ == 0) return;
  const double step = (positions_.back() - positions_.front()) / static_cast<double>(positions_.size() - 1);
  is_even_ = std::adjacent_find(positions_.begin(), positions_.end(), [&](double a, double b) {
               return std::abs(b - a - step) > kEven * std::abs(step);
             }) == positions_.end();
}

std::string AxisValues::text(uint64_t index) const {
  return elements_ ? plain_text(type_, *elements_, index) : std::to_string(index);
}

std::string AxisValues::shown(uint64_t index) const {
  if (!elements_) return "number " + std::to_string(index);
  if (is_time()) return text(index);
  if (is_in_degrees(kind_) && !positions_.empty() && std::isfinite(positions_[index]))
    return degrees_text(positions_[index], kind_);
  return text(index) + (units_.empty() || units_ == "1" ? "" : " " + units_);
}

std::string AxisValues::name_of(uint64_t index) const {
  if (!elements_) return std::to_string(index);
  const std::string number = "#" + std::to_string(index), name = text(index);
  if (elements_->is_missing(index) || name.find(',') != std::string::npos) return number;
  if (order_ != 0) return name;
  if (length_ > kMaxDistinct) return number;
  uint64_t equal = 0;
  for (uint64_t i = 0; i < length_ && equal < 2; ++i)
    if (text(i) == name) ++equal;
  return equal == 1 ? name : number;
}

AxisValues::Found AxisValues::find(std::string_view value) const {
  if (is_endless(value)) return {{}, false, length_ > 0 ? name_of(0) : ""};
  const FoundIndices exact = find_along(dataset_, dimension_, length_, value);
  if (!exact.indices.empty()) {
    const uint64_t index = exact.indices.front();
    return {index, value.starts_with('~') && text(index) != value.substr(1)};
  }
  if (!elements_ || value.starts_with('#')) return {{}, false, exact.nearest};
  if (!exact.nearest.empty()) {
    const FoundIndices near = find_along(dataset_, dimension_, length_, "~" + std::string(value));
    if (!near.indices.empty()) return {near.indices.front(), true};
  }
  std::vector<std::string> names;
  if (is_text())
    for (uint64_t i = 0; i < std::min(length_, kMaxDistinct); ++i) names.push_back(text(i));
  const std::vector<std::string> near = nearest_names(value, names);
  return {{}, false, !near.empty() ? near[0] : length_ > 0 ? name_of(0) : ""};
}

double AxisValues::index_at(double value) const {
  const auto is_before = [&](double a, double b) { return order_ > 0 ? a < b : a > b; };
  const auto after = std::lower_bound(positions_.begin(), positions_.end(), value, is_before);
  if (after == positions_.begin()) return 0;
  if (after == positions_.end()) return static_cast<double>(positions_.size() - 1);
  const auto index = static_cast<double>(after - positions_.begin());
  return index - (*after - value) / (*after - *(after - 1));
}

std::string AxisValues::tick_text(double value) const {
  return is_in_degrees(kind_) ? degrees_text(value, kind_) : fmt::format("{:.10g}", value);
}

std::vector<Tick> AxisValues::ticks(size_t most) const {
  std::vector<Tick> ticks;
  if (length_ == 0) return ticks;
  if (is_monotonic() && !is_time()) {
    const auto [low, high] = std::minmax(positions_.front(), positions_.back());
    const Interval range{low, high};
    for (const double value : is_in_degrees(kind_) ? round_degrees(range, most) : round_numbers(range, most))
      ticks.push_back({index_at(value), tick_text(value)});
    if (ticks.size() >= 2) return ticks;
    ticks.clear();
  }
  const auto add = [&](uint64_t index) {
    const std::string name = text(index);
    ticks.push_back({static_cast<double>(index), is_time() ? short_time(name) : name});
  };
  if (!has_coordinate() && length_ > most) {
    for (const double index : round_numbers({0, static_cast<double>(length_ - 1)}, most))
      add(static_cast<uint64_t>(index));
    return ticks;
  }
  // Names are long, and times longer.
  const uint64_t count = std::min<uint64_t>(length_, is_time() ? std::min<size_t>(most, 3) : most);
  for (uint64_t i = 0; i < count; ++i) add(count == 1 ? 0 : i * (length_ - 1) / (count - 1));
  return ticks;
}

}  // namespace plainfs::serve
