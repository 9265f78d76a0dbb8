#include "fs/serve/nearest.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "fs/report/edit_distance.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMostAskedBytes = 64;
constexpr uint64_t kMostSearched = uint64_t{1} << 20;

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

std::string lowered(std::string_view text) {
  std::string low;
  for (const char c : text) low += lowered(c);
  return low;
}

// Returns a distance, lower is nearer; nullopt: not near.
std::optional<size_t> distance_of(const std::string& asked, const std::string& name) {
  if (name.starts_with(asked)) return name.size() == asked.size() ? 0 : 1;
  const size_t apart = asked.size() > name.size() ? asked.size() - name.size() : name.size() - asked.size();
  const size_t most = asked.size() < 4 ? 1 : 2;
  if (apart <= most) {
    const size_t distance = edit_distance(asked, name);
    if (distance <= most) return 1 + distance;
  }
  if (asked.size() > 2 && name.find(asked) != std::string::npos) return 10;
  return std::nullopt;
}

}  // namespace

bool is_same_in_any_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lowered(x) == lowered(y); });
}

bool holds_in_any_case(std::string_view name, std::string_view part) {
  const auto is_same = [](char x, char y) { return lowered(x) == lowered(y); };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), is_same) != name.end();
}

std::vector<std::string> nearest_names(std::string_view asked, uint64_t count,
                                       const std::function<std::string_view(uint64_t)>& name) {
  if (asked.empty()) return {};
  const std::string wanted = lowered(asked.substr(0, kMostAskedBytes));
  using Near = std::tuple<size_t, size_t, uint64_t>;  // distance, length, number
  std::vector<Near> near;
  for (uint64_t i = 0; i < std::min(count, kMostSearched); ++i) {
    const std::string_view known = name(i);
    if (const std::optional<size_t> distance =
            distance_of(wanted, lowered(known.substr(0, 4 * kMostAskedBytes))))
      near.emplace_back(*distance, known.size(), i);
  }
  const size_t shown = std::min(near.size(), kMostNearest);
  std::partial_sort(near.begin(), near.begin() + static_cast<ptrdiff_t>(shown), near.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < shown; ++i) names.emplace_back(name(std::get<2>(near[i])));
  return names;
}

std::vector<std::string> nearest_names(std::string_view asked, const std::vector<std::string>& names) {
  return nearest_names(asked, names.size(), [&](uint64_t i) -> std::string_view { return names[i]; });
}

}  // namespace plainfs::serve
