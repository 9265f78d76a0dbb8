#include "fs/views/table/column_types.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/elements/time_text.h"
#include "fs/layout/text_segments.h"

namespace plainfs {

namespace {

constexpr uint64_t kValuesInRun = 64 * 1024;

// Returns look(elements) for each run of the array. Runs are visited in parallel.
template <class Look>
auto found_in_runs(const Array& array, Context& context, Look look) {
  const uint64_t count = array.count();
  std::vector<decltype(look(Elements()))> found(divide_up(count, kValuesInRun));
  context.workers.parallel_for(found.size(), [&](size_t run) {
    const uint64_t first = run * kValuesInRun;
    found[run] = look(read_run(array, first, std::min(kValuesInRun, count - first)));
  });
  return found;
}

bool is_time(const DType& type) {
  return type.kind == Kind::time_point || type.kind == Kind::time_span;
}

bool holds_missing(const DType& type, const Elements& elements) {
  if (std::find(elements.missing.begin(), elements.missing.end(), 1) != elements.missing.end()) return true;
  if (!is_time(type)) return false;
  const auto counts = elements.values<int64_t>();
  return std::find(counts.begin(), counts.end(), kNotATime) != counts.end();
}

template <class T>
IntegerExtent bounds_of(const DType& type, const Elements& elements) {
  const auto values = elements.values<T>();
  IntegerExtent bounds;
  for (uint64_t i = 0; i < elements.count; ++i) {
    if (elements.is_missing(i)) continue;
    if (std::is_same_v<T, int64_t> && is_time(type) && std::cmp_equal(values[i], kNotATime)) continue;
    if (std::cmp_less(values[i], bounds.least)) bounds.least = static_cast<int64_t>(values[i]);
    if (std::cmp_greater(values[i], bounds.most)) bounds.most = static_cast<uint64_t>(values[i]);
  }
  return bounds;
}

}  // namespace

bool has_missing(const Array& column, Context& context) {
  const Array& whole = column.whole_column();
  if (!whole.may_be_missing() && !is_time(whole.dtype())) return false;
  const bool is_text = !whole.dtype().is_numeric() && !is_time(whole.dtype());
  if (is_text && &whole == &column) return measure_texts(whole, context)->any_missing;
  struct AnyMissing {
    bool value;
  };
  const auto look = [&] {
    const auto found = found_in_runs(whole, context, [&](const Elements& elements) {
      return static_cast<uint8_t>(holds_missing(whole.dtype(), elements));
    });
    return AnyMissing{std::find(found.begin(), found.end(), 1) != found.end()};
  };
  return whole.survey<AnyMissing>(0, look)->value;
}

IntegerExtent integer_extent(const Array& column, Context& context) {
  const Array& whole = column.whole_column();
  if (is_counting(whole)) return {0, std::max<uint64_t>(whole.count(), 1) - 1};
  const auto look = [&] {
    const auto found = found_in_runs(whole, context, [&](const Elements& elements) {
      return visit_number(whole.dtype(), [&](auto zero) -> IntegerExtent {
        using T = decltype(zero);
        if constexpr (std::is_integral_v<T>)
          return bounds_of<T>(whole.dtype(), elements);
        else
          throw unsupported("{} is not an integer", whole.dtype().name());
      });
    });
    IntegerExtent all;
    for (const IntegerExtent& extent : found) {
      all.least = std::min(all.least, extent.least);
      all.most = std::max(all.most, extent.most);
    }
    return all;
  };
  return *whole.survey<IntegerExtent>(0, look);
}

void record_integer_extent(const Array& column, const IntegerExtent& extent) {
  column.survey<IntegerExtent>(0, [&] { return extent; });
}

bool are_exact_times(const Array& column, Context& context) {
  const Array& whole = column.whole_column();
  const DType& type = whole.dtype();
  struct ExactTimes {
    bool value;
  };
  const auto look = [&] {
    const auto found = found_in_runs(whole, context, [&](const Elements& elements) {
      const auto counts = elements.values<int64_t>();
      for (uint64_t i = 0; i < elements.count; ++i) {
        if (elements.is_missing(i) || counts[i] == kNotATime) continue;
        if (!exact_number(type, counts[i])) return uint8_t{0};
      }
      return uint8_t{1};
    });
    return ExactTimes{std::find(found.begin(), found.end(), 0) == found.end()};
  };
  return whole.survey<ExactTimes>(0, look)->value;
}

CountedExtent extent_of_times(const Array& column, Context& context) {
  const Array& whole = column.whole_column();
  const auto look = [&] {
    CountedExtent all;
    for (const CountedExtent& extent : found_in_runs(whole, context, [&](const Elements& elements) {
           return counted_extent(whole.dtype(), elements);
         }))
      all = joined(all, extent);
    return all;
  };
  return *whole.survey<CountedExtent>(0, look);
}

}  // namespace plainfs
