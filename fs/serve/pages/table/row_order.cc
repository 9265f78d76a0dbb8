#include "fs/serve/pages/table/row_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "cache/request.h"
#include "formats/annotated/cell_groups.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/elements/time_text.h"
#include "fs/serve/pages/model/nearest.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kRowsAtOnce = uint64_t{1} << 16;
constexpr uint64_t kMaxTextBytes = uint64_t{1} << 27;

// The texts of a column.
class TextKeys {
 public:
  // Returns nullopt if they take more than kMaxTextBytes.
  static std::optional<TextKeys> of(const Array& column) {
    TextKeys keys;
    uint64_t bytes = 0;
    for (uint64_t first = 0; first < column.count() && bytes <= kMaxTextBytes; first += kRowsAtOnce) {
      keys.runs_.push_back(column.read(range(first, std::min(kRowsAtOnce, column.count() - first))));
      bytes += keys.runs_.back().allocated_bytes();
    }
    if (bytes > kMaxTextBytes) return std::nullopt;
    return keys;
  }
  bool is_missing(uint32_t row) const { return run_of(row).is_missing(row % kRowsAtOnce); }
  int compare(uint32_t a, uint32_t b) const { return text(a).compare(text(b)); }

 private:
  const Elements& run_of(uint32_t row) const { return runs_[row / kRowsAtOnce]; }
  std::string_view text(uint32_t row) const { return run_of(row).text(row % kRowsAtOnce); }

  std::vector<Elements> runs_;
};

// Integers in the order of the values of a column.
struct Keys {
  std::vector<int64_t> keys;
  std::vector<bool> is_missing;

  explicit Keys(uint64_t count) {
    keys.reserve(count);
    is_missing.reserve(count);
  }
  void add(int64_t key, bool is_missing_here) {
    keys.push_back(key);
    is_missing.push_back(is_missing_here);
  }
};

// Returns an integer that compares with others as the number does. All types keep all of their digits.
template <class T>
int64_t key_of(T value) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<int64_t>(value ^ (uint64_t{1} << 63));
  } else if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    // The bits of a negative number fall as it rises. -0 becomes 0.
    const auto bits = std::bit_cast<int64_t>(number_cast<double>(value) + 0.0);
    return bits < 0 ? bits ^ INT64_MAX : bits;
  }
}

bool has_sorted_numbers(const DType& type) {
  return type.is_numeric() || type.kind == Kind::time_point || type.kind == Kind::time_span;
}

// Requires: has_sorted_numbers().
Keys keys_of_numbers(const Array& column) {
  const DType& type = column.dtype();
  const bool are_times = !type.is_numeric();
  Keys keys(column.count());
  for (uint64_t first = 0; first < column.count(); first += kRowsAtOnce) {
    check_cancelled();
    const Elements some = column.read(range(first, std::min(kRowsAtOnce, column.count() - first)));
    visit_number(type, [&](auto zero) {
      using T = decltype(zero);
      const auto values = some.values<T>();
      for (uint64_t i = 0; i < some.count; ++i) {
        const int64_t key = key_of(values[i]);
        bool is_missing = some.is_missing(i) || (are_times && key == kNotATime);
        if constexpr (!std::is_integral_v<T>)
          is_missing = is_missing || std::isnan(number_cast<double>(values[i]));
        keys.add(key, is_missing);
      }
    });
  }
  return keys;
}

// The levels of a factor are in its own order, not in that of their names.
Keys keys_of(const Array& column) {
  if (has_sorted_numbers(column.dtype()) && !unchecked_factor_parts(column)) return keys_of_numbers(column);
  const std::optional<CellGroups> groups = cell_groups(column, kMaxSortedTexts);
  if (!groups) throw unsupported("more than {} different texts, too many to sort here", kMaxSortedTexts);
  Keys keys(groups->cells.size());
  for (const uint32_t level : groups->cells) keys.add(level, level == CellGroups::kNone);
  return keys;
}

// Sorts `order` as sorted_rows() does. is_missing(row): whether a row has no value. compare(a, b): negative
// if the value of row a is before that of row b, 0 if they are equal.
template <class IsMissing, class Compare>
std::vector<uint32_t> sorted_part(std::vector<uint32_t> order, bool falls, IsMissing&& is_missing,
                                  Compare&& compare, uint64_t first, uint64_t count) {
  const auto valued =
      std::stable_partition(order.begin(), order.end(), [&](uint32_t row) { return !is_missing(row); });
  const auto is_before = [&](uint32_t a, uint32_t b) {
    const int sign = falls ? compare(b, a) : compare(a, b);
    return sign != 0 ? sign < 0 : a < b;
  };
  const auto all = static_cast<uint64_t>(valued - order.begin());
  const auto begin = order.begin() + static_cast<ptrdiff_t>(std::min(first, all));
  const auto end = order.begin() + static_cast<ptrdiff_t>(std::min(first + count, all));
  if (begin != valued) std::nth_element(order.begin(), begin, valued, is_before);
  std::partial_sort(begin, end, valued, is_before);
  const uint64_t shown_first = std::min<uint64_t>(first, order.size());
  const uint64_t shown_end = std::min<uint64_t>(first + count, order.size());
  return {order.begin() + static_cast<ptrdiff_t>(shown_first),
          order.begin() + static_cast<ptrdiff_t>(shown_end)};
}

// Returns the rows for which is_wanted(text of the value) is true.
template <class IsWanted>
std::vector<uint32_t> rows_where(const Array& column, IsWanted&& is_wanted) {
  std::vector<uint32_t> rows;
  std::string text;
  for (uint64_t first = 0; first < column.count(); first += kRowsAtOnce) {
    check_cancelled();
    const Elements some = column.read(range(first, std::min(kRowsAtOnce, column.count() - first)));
    for (uint64_t i = 0; i < some.count; ++i) {
      if (some.is_missing(i)) continue;
      text.clear();
      append_plain(column.dtype(), some, i, text);
      if (is_wanted(std::string_view(text))) rows.push_back(static_cast<uint32_t>(first + i));
    }
  }
  return rows;
}

}  // namespace

std::optional<std::vector<uint32_t>> rows_with_level(const Array& column, const std::string& level) {
  if (levels_of(column) == ColumnLevels::texts) {
    std::vector<uint32_t> rows = rows_where(column, [&](std::string_view text) { return text == level; });
    return rows.empty() ? std::nullopt : std::optional(std::move(rows));
  }
  const std::optional<CellGroups> groups = cell_groups(column, kMaxSortedTexts);
  if (!groups) return std::nullopt;
  std::vector<bool> is_wanted;
  for (const std::string& each : groups->levels) is_wanted.push_back(each == level);
  if (std::find(is_wanted.begin(), is_wanted.end(), true) == is_wanted.end()) return std::nullopt;
  std::vector<uint32_t> rows;
  for (size_t i = 0; i < groups->cells.size(); ++i)
    if (groups->cells[i] != CellGroups::kNone && is_wanted[groups->cells[i]])
      rows.push_back(static_cast<uint32_t>(i));
  return rows;
}

std::vector<uint32_t> rows_between(const Array& column, double low, double high) {
  std::vector<uint32_t> rows;
  std::vector<double> values;
  for (uint64_t first = 0; first < column.count(); first += kRowsAtOnce) {
    check_cancelled();
    values.clear();
    append_doubles(column.dtype(), column.read(range(first, std::min(kRowsAtOnce, column.count() - first))),
                   values);
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] >= low && values[i] <= high) rows.push_back(static_cast<uint32_t>(first + i));
  }
  return rows;
}

std::vector<uint32_t> rows_holding(const Array& column, std::string_view part) {
  return rows_where(column, [&](std::string_view text) { return holds_in_any_case(text, part); });
}

std::vector<uint32_t> sorted_rows(const Array& column, bool falls, const std::vector<uint32_t>* rows,
                                  uint64_t first, uint64_t count) {
  std::vector<uint32_t> order;
  if (rows) {
    order = *rows;
  } else {
    order.resize(column.count());
    std::iota(order.begin(), order.end(), uint32_t{0});
  }
  if (column.dtype().kind == Kind::text && !unchecked_factor_parts(column))
    if (const std::optional<TextKeys> keys = TextKeys::of(column))
      return sorted_part(
          std::move(order), falls, [&](uint32_t row) { return keys->is_missing(row); },
          [&](uint32_t a, uint32_t b) { return keys->compare(a, b); }, first, count);
  const Keys keys = keys_of(column);
  return sorted_part(
      std::move(order), falls, [&](uint32_t row) { return bool{keys.is_missing[row]}; },
      [&](uint32_t a, uint32_t b) { return keys.keys[a] < keys.keys[b] ? -1 : keys.keys[a] > keys.keys[b]; },
      first, count);
}

}  // namespace plainfs::serve
