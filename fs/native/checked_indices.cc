#include "fs/native/checked_indices.h"

#include <algorithm>
#include <utility>

#include "formats/model/derived_array.h"

namespace plainfs {

namespace {

template <class T>
void check_below(std::span<const T> values, uint64_t limit, const std::string& what) {
  if constexpr (std::is_integral_v<T>) {
    if (values.empty()) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    for (const T value : {*least, *most})
      if (std::cmp_less(value, 0) || std::cmp_greater_equal(value, limit))
        throw damaged("{} {} is not below {}", what, value, limit);
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

}  // namespace plainfs
