#include "formats/annotated/cell_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "formats/core/base/half.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/elements/element_text.h"

namespace plainfs {

namespace {

constexpr uint64_t kMaxListedTexts = 10000;
constexpr uint64_t kCellsAtOnce = 1 << 16;

// Calls visit(first, elements) for all of column, a run of cells at a time, until it returns false.
template <class Visit>
void for_each_run(const Array& column, Visit&& visit) {
  const uint64_t cells = column.count();
  for (uint64_t first = 0; first < cells; first += kCellsAtOnce)
    if (!visit(first, column.read(range(first, std::min(kCellsAtOnce, cells - first))))) return;
}

// Reorders the levels. order: the old index of each level. Requires: every level has a cell.
void put_in_order(CellGroups& groups, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<std::string> levels;
  levels.reserve(order.size());
  for (const uint32_t number : order) levels.push_back(std::move(groups.levels[number]));
  groups.levels = std::move(levels);
  for (uint32_t& cell : groups.cells)
    if (cell != CellGroups::kNone) cell = place[cell];
}

std::optional<CellGroups> groups_of_factor(const FactorParts& factor, uint64_t most) {
  const Elements labels = level_texts(factor);
  CellGroups groups;
  groups.cells.reserve(factor.codes->count());
  constexpr uint32_t kUnused = CellGroups::kNone;
  std::vector<uint32_t> numbers(labels.count, kUnused);  // of each category
  for_each_run(*factor.codes, [&](uint64_t, const Elements& codes) {
    for (const uint64_t category : level_places(factor, codes, labels.count)) {
      const bool has_value = category != kNoLevel && !labels.is_missing(category);
      if (has_value) numbers[category] = 0;
      groups.cells.push_back(has_value ? static_cast<uint32_t>(category) : CellGroups::kNone);
    }
    return true;
  });
  for (uint64_t category = 0; category < labels.count; ++category) {
    if (numbers[category] == kUnused) continue;
    numbers[category] = static_cast<uint32_t>(groups.levels.size());
    groups.levels.emplace_back(labels.text(category));
  }
  if (groups.levels.size() > most) return std::nullopt;
  for (uint32_t& cell : groups.cells)
    if (cell != CellGroups::kNone) cell = numbers[cell];
  return groups;
}

std::optional<CellGroups> groups_of_texts(const Array& column, uint64_t most) {
  CellGroups groups;
  groups.cells.reserve(column.count());
  std::unordered_map<std::string, uint32_t> numbers;
  for_each_run(column, [&](uint64_t, const Elements& texts) {
    for (uint64_t i = 0; i < texts.count; ++i) {
      if (texts.is_missing(i)) {
        groups.cells.push_back(CellGroups::kNone);
        continue;
      }
      std::string text = plain_text(column.dtype(), texts, i);
      const auto [known, is_new] =
          numbers.try_emplace(std::move(text), static_cast<uint32_t>(numbers.size()));
      if (is_new) groups.levels.push_back(known->first);
      groups.cells.push_back(known->second);
    }
    return groups.levels.size() <= most;
  });
  if (groups.levels.size() > most) return std::nullopt;
  std::vector<uint32_t> order(groups.levels.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return groups.levels[a] < groups.levels[b]; });
  put_in_order(groups, order);
  return groups;
}

// Returns stored as a number that compares as it is displayed; nullopt if it stands for no value.
template <class T>
std::optional<T> value_of(const DType& type, T stored) {
  if (type.is_truth()) return stored != 0;
  const bool is_time = type.kind == Kind::time_point || type.kind == Kind::time_span;
  if constexpr (std::is_same_v<T, int64_t>)
    if (is_time && stored == INT64_MIN) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(stored)) return std::nullopt;
    if (type.kind == Kind::counted_time && type.time_unit == TimeUnit::day) return std::floor(stored);
    return stored + T{0};  // turns -0 into 0
  }
  return stored;
}

std::optional<CellGroups> groups_of_numbers(const Array& column, uint64_t most) {
  const DType& type = column.dtype();
  Elements elements = read_all(column);
  CellGroups groups;
  groups.cells.assign(elements.count, CellGroups::kNone);
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    using Compared = decltype(plain_number(zero));
    std::vector<std::pair<Compared, uint32_t>> values;  // value and cell
    std::span<T> stored = elements.mutable_values<T>();
    for (uint64_t i = 0; i < elements.count; ++i) {
      const auto value = elements.is_missing(i) ? std::nullopt : value_of(type, plain_number(stored[i]));
      if (!value) continue;
      values.emplace_back(*value, static_cast<uint32_t>(i));
      if (*value == Compared{0}) stored[i] = T{};  // displays -0 as 0
    }
    std::sort(values.begin(), values.end());
    for (size_t i = 0; i < values.size(); ++i) {
      const auto& [value, cell] = values[i];
      if (i == 0 || value != values[i - 1].first) groups.levels.push_back(plain_text(type, elements, cell));
      groups.cells[cell] = static_cast<uint32_t>(groups.levels.size() - 1);
    }
  });
  return groups.levels.size() <= most ? std::optional(std::move(groups)) : std::nullopt;
}

}  // namespace

ColumnLevels levels_of(const Array& column) {
  switch (column.dtype().kind) {
    case Kind::boolean:
    case Kind::logical:
    case Kind::enumeration:
      return ColumnLevels::few;
    case Kind::fixed_text:
    case Kind::fixed_utf32:
    case Kind::text:
      return unchecked_factor_parts(column) ? ColumnLevels::few : ColumnLevels::texts;
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::time_point:
    case Kind::time_span:
    case Kind::counted_time:
      return ColumnLevels::numbers;
    case Kind::complex:
    case Kind::opaque:
    case Kind::compound:
    case Kind::array:
    case Kind::blob:
    case Kind::sequence:
    case Kind::json:
    case Kind::reference:
      break;
  }
  return ColumnLevels::none;
}

std::optional<CellGroups> cell_groups(const Array& column, uint64_t most) {
  column.check();
  const ColumnLevels levels = levels_of(column);
  if (levels == ColumnLevels::none || column.shape().size() != 1)
    throw unsupported("a column of {} has no levels", column.dtype().name());
  if (column.count() >= CellGroups::kNone) throw unsupported("more cells than supported: {}", column.count());
  if (const std::optional<FactorParts> factor = factor_parts(column)) return groups_of_factor(*factor, most);
  return levels == ColumnLevels::texts ? groups_of_texts(column, most) : groups_of_numbers(column, most);
}

bool has_listed_groups(const Array& column) {
  const ColumnLevels levels = levels_of(column);
  if (levels != ColumnLevels::texts) return levels == ColumnLevels::few;
  try {
    return cell_groups(column, kMaxListedTexts).has_value();
  } catch (const Error&) {
    return true;
  }
}

bool has_listed_groups(const AnnotatedMatrix& matrix, const Column& column) {
  const bool are_names = !matrix.obs_names.empty() && column.name == matrix.obs_names;
  return !are_names && has_listed_groups(*column.values);
}

}  // namespace plainfs
