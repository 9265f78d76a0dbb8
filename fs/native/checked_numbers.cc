#include "fs/native/checked_numbers.h"

#include <algorithm>
#include <utility>

#include "formats/model/derived_array.h"
#include "fs/native/number_loops.h"

namespace plainfs {

namespace {

template <class T>
void check_below(std::span<const T> values, uint64_t limit, const std::string& what) {
  if constexpr (std::is_integral_v<T>) {
    const auto is_below = [limit](T value) {
      return std::cmp_greater_equal(value, 0) && std::cmp_less(value, limit);
    };
    if (all_hold(values, is_below)) return;
    throw damaged("{} {} is not below {}", what, *std::find_if_not(values.begin(), values.end(), is_below),
                  limit);
  } else {
    throw damaged("a sparse matrix whose {}s are no whole numbers", what);
  }
}

}  // namespace

ArrayPtr indices_below(ArrayPtr indices, uint64_t limit, const std::string& what) {
  const DType dtype = indices->dtype();
  return mapped(std::move(indices), dtype, [dtype, limit, what](Elements elements, const Box&) {
    visit_number(dtype, [&](auto zero) { check_below(elements.values<decltype(zero)>(), limit, what); });
    return elements;
  });
}

ArrayPtr without_missing_integers(ArrayPtr values) {
  const DType dtype = values->dtype();
  if (dtype.kind == Kind::real) return values;
  return mapped(std::move(values), dtype, [name = dtype.name()](Elements elements, const Box&) {
    const auto missing = std::find(elements.missing.begin(), elements.missing.end(), 1);
    if (missing != elements.missing.end()) throw unsupported("a matrix of {} with a missing value", name);
    return elements;
  });
}

}  // namespace plainfs
