#include "fs/serve/pages/cells/region.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fs/serve/http/query.h"

namespace plainfs::serve {

std::vector<double> numbers_in_list(const std::string& text) {
  constexpr size_t kMaxNumbers = 8;
  std::vector<double> numbers;
  for (size_t from = 0; from <= text.size() && numbers.size() <= kMaxNumbers;) {
    const size_t end = std::min(text.find(',', from), text.size());
    const std::optional<double> number =
        Query("").with("number", text.substr(from, end - from)).decimal("number");
    if (!number) return {};
    numbers.push_back(*number);
    from = end + 1;
  }
  return numbers;
}

std::optional<PlaneRegion> region_in(const std::string& text) {
  const std::vector<double> ends = numbers_in_list(text);
  if (ends.size() != 4) return std::nullopt;
  const PlaneRegion region{{ends[0], ends[2]}, {ends[1], ends[3]}};
  const auto has_length = [](const Interval& side) {
    return side.high > side.low && std::isfinite(side.high - side.low);
  };
  return has_length(region.x) && has_length(region.y) ? std::optional(region) : std::nullopt;
}

std::optional<RegionPlaces> places_in_region(const AnnotatedMatrix& matrix, const std::string& embedding,
                                             const PlaneRegion& region, uint64_t most) {
  std::optional<CellPlaces> all = places_of(matrix, embedding, std::max<uint64_t>(1, matrix.cells));
  if (!all) return std::nullopt;
  RegionPlaces found{*std::move(all)};
  std::vector<double>&x = found.places.x, &y = found.places.y;
  const auto is_inside = [&](size_t i) {
    return x[i] >= region.x.low && x[i] <= region.x.high && y[i] >= region.y.low && y[i] <= region.y.high;
  };
  for (size_t i = 0; i < x.size(); ++i) found.cells += is_inside(i) ? 1 : 0;
  found.step = std::max<uint64_t>(1, (found.cells + most - 1) / most);
  uint64_t number = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (is_inside(i) && number++ % found.step == 0) continue;
    x[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return found;
}

}  // namespace plainfs::serve
