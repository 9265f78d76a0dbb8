#include "formats/core/cf/coordinate.h"

#include <cmath>

#include "formats/core/cf/decoded.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/parsed_number.h"

namespace plainfs {
namespace {

constexpr uint64_t kMaxElements = uint64_t{1} << 24;

// A search for the element nearest to a value, from the distance of each element.
class NearestFinder {
 public:
  void look_at(uint64_t index, long double distance) {
    if (std::isnan(distance) || (found_ && distance >= least_)) return;
    least_ = distance;
    found_ = index;
  }
  std::optional<uint64_t> found() const { return found_; }

 private:
  std::optional<uint64_t> found_;
  long double least_ = 0;
};

// The elements of a coordinate, and the value to find.
struct Search {
  const DType& type;
  const Elements& elements;
  std::string_view value;

  std::string text(uint64_t i) const { return plain_text(type, elements, i); }

  // Returns the indices of the elements that are not missing and that `fits` accepts.
  template <class Fits>
  std::vector<uint64_t> all_that(Fits&& fits) const {
    std::vector<uint64_t> found;
    for (uint64_t i = 0; i < elements.count; ++i)
      if (!elements.is_missing(i) && fits(i)) found.push_back(i);
    return found;
  }

  std::vector<uint64_t> by_text(std::string_view wanted) const {
    return all_that([&](uint64_t i) { return text(i) == wanted; });
  }

  std::vector<uint64_t> by_number() const {
    const std::optional<double> wanted = parsed_number<double>(value);
    if (!wanted || !type.is_numeric()) return {};
    return visit_number(type, [&](auto zero) -> std::vector<uint64_t> {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        const auto values = elements.values<T>();
        return all_that([&](uint64_t i) { return values[i] == static_cast<T>(*wanted); });
      }
      return {};
    });
  }

  std::vector<uint64_t> by_time(const TimeReference& times) const {
    const std::optional<Nanoseconds> wanted = times.parse_time(value);
    if (!wanted) return {};
    return all_that([&](uint64_t i) { return time_at(i, times) == *wanted; });
  }

  std::optional<uint64_t> nearest_number() const {
    const std::optional<double> wanted = parsed_number<double>(value);
    if (!wanted || !type.is_numeric()) return std::nullopt;
    std::vector<double> numbers;
    append_doubles(type, elements, numbers);
    NearestFinder finder;
    for (uint64_t i = 0; i < elements.count; ++i)
      finder.look_at(i, std::fabs(static_cast<long double>(numbers[i]) - *wanted));
    return finder.found();
  }

  std::optional<Nanoseconds> time_at(uint64_t i, const TimeReference& times) const {
    return elements.is_missing(i) ? std::nullopt : times.parse_time(elements.text(i));
  }

  std::optional<uint64_t> nearest_time(const TimeReference& times) const {
    const std::optional<Nanoseconds> wanted = times.parse_time(value);
    if (!wanted) return std::nullopt;
    NearestFinder finder;
    for (uint64_t i = 0; i < elements.count; ++i)
      if (const std::optional<Nanoseconds> time = time_at(i, times))
        finder.look_at(i, std::fabs(static_cast<long double>(*time - *wanted)));
    return finder.found();
  }
};

FoundIndices numbered(std::string_view number, uint64_t length) {
  const std::optional<uint64_t> index = parsed_number<uint64_t>(number);
  if (index && *index < length) return {{*index}, {}};
  return {{}, length > 0 ? "#" + std::to_string(length - 1) : std::string()};
}

}  // namespace

FoundIndices find_along(const CfDataset& dataset, const std::string& dimension, uint64_t length,
                        std::string_view value) {
  const CfVariable* const coordinate = dataset.coordinate(dimension, length);
  const bool is_number = value.starts_with('#');
  if (is_number && (!coordinate || !coordinate->decoded->dtype().is_text() || cf_times(*coordinate, nullptr)))
    return numbered(value.substr(1), length);
  const bool is_nearest = value.starts_with('~');
  if (!coordinate) return numbered(value.substr(is_nearest), length);
  if (length > kMaxElements)
    throw unsupported("dimension {} has {} elements, but values can be searched among at most {}; use #N",
                      dimension, length, kMaxElements);
  const Elements elements = read_all(*coordinate->decoded);
  Search search{coordinate->decoded->dtype(), elements, value};
  std::vector<uint64_t> found = search.by_text(value);
  if (!found.empty()) return {std::move(found), {}};
  if (is_number) return numbered(value.substr(1), length);
  if (is_nearest) search.value.remove_prefix(1);
  const std::optional<TimeReference> times = cf_times(*coordinate, nullptr);
  if (is_nearest) found = search.by_text(search.value);
  if (found.empty() && times) found = search.by_time(*times);
  if (found.empty()) found = search.by_number();
  if (!found.empty()) return {std::move(found), {}};
  const std::optional<uint64_t> near = times ? search.nearest_time(*times) : search.nearest_number();
  if (!near) return {};
  if (is_nearest) return {search.by_text(search.text(*near)), {}};
  return {{}, search.text(*near)};
}

}  // namespace plainfs
