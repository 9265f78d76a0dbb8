#include "fs/serve/pages/model/nearest.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "fs/report/edit_distance.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxAskedBytes = 64;
constexpr uint64_t kMaxSearched = uint64_t{1} << 20;

// Returns a distance, lower is nearer; nullopt: not near.
std::optional<size_t> distance_of(const std::string& wanted, const std::string& name) {
  if (name.starts_with(wanted)) return name.size() == wanted.size() ? 0 : 1;
  const size_t apart =
      wanted.size() > name.size() ? wanted.size() - name.size() : name.size() - wanted.size();
  const size_t most = wanted.size() < 4 ? 1 : 2;
  if (apart <= most) {
    const size_t distance = edit_distance(wanted, name);
    if (distance <= most) return 1 + distance;
  }
  if (wanted.size() > 2 && name.find(wanted) != std::string::npos) return 10;
  return std::nullopt;
}

}  // namespace

bool holds_in_any_case(std::string_view name, std::string_view part) {
  const auto is_same = [](char x, char y) { return lower_case(x) == lower_case(y); };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), is_same) != name.end();
}

std::vector<std::string> nearest_names(std::string_view typed, uint64_t count,
                                       const std::function<std::string_view(uint64_t)>& name) {
  if (typed.empty()) return {};
  const std::string wanted = lower_case(typed.substr(0, kMaxAskedBytes));
  using Near = std::tuple<size_t, size_t, uint64_t>;  // distance, length, number
  std::vector<Near> near;
  for (uint64_t i = 0; i < std::min(count, kMaxSearched); ++i) {
    const std::string_view known = name(i);
    if (const std::optional<size_t> distance =
            distance_of(wanted, lower_case(known.substr(0, 4 * kMaxAskedBytes))))
      near.emplace_back(*distance, known.size(), i);
  }
  const size_t shown = std::min(near.size(), kMaxNearest);
  std::partial_sort(near.begin(), near.begin() + static_cast<ptrdiff_t>(shown), near.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < shown; ++i) names.emplace_back(name(std::get<2>(near[i])));
  return names;
}

std::vector<std::string> nearest_names(std::string_view typed, const std::vector<std::string>& names) {
  return nearest_names(typed, names.size(), [&](uint64_t i) -> std::string_view { return names[i]; });
}

}  // namespace plainfs::serve
