#include "fs/views/matrix/checked_numbers.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/text/number_loops.h"

namespace plainfs {

namespace {

constexpr int64_t kExactReals = int64_t{1} << 53;

template <class T>
void check_below(std::span<const T> values, uint64_t limit, const std::string& what) {
  if constexpr (std::is_integral_v<T>) {
    if (values.empty()) return;
    // The largest allowed value, in the type of the values.
    const T most = std::cmp_greater(limit, std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max()
                                                                          : static_cast<T>(limit - 1);
    const auto is_below = [most](T value) { return std::cmp_greater_equal(value, 0) && value <= most; };
    if (limit > 0 && all_hold(values, is_below)) return;
    const T bad = limit > 0 ? *std::find_if_not(values.begin(), values.end(), is_below) : values[0];
    throw damaged("{} {} is not below {}", what, bad, limit);
  } else {
    throw damaged("the {}s of a sparse matrix are not integers", what);
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
    if (missing != elements.missing.end()) throw unsupported("a matrix of {} with missing values", name);
    return elements;
  });
}

ArrayPtr within_32_bits(ArrayPtr values) {
  const DType dtype = values->dtype();
  return mapped(std::move(values), dtype, [dtype](Elements elements, const Box&) {
    visit_number(dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) {
        const std::span<const T> all = elements.values<T>();
        const auto fits = [](T value) { return std::in_range<int32_t>(value); };
        if (!all_hold(all, fits))
          throw unsupported("{} does not fit into the 32-bit integers of 10x's files",
                            *std::find_if_not(all.begin(), all.end(), fits));
      }
    });
    return elements;
  });
}

ArrayPtr as_reals(ArrayPtr values) {
  const DType dtype = values->dtype();
  const bool is_truth = dtype.is_truth();
  return mapped(
      std::move(values), number_type(Kind::real, 8), [dtype, is_truth](const Elements& elements, const Box&) {
        Elements reals;
        reals.count = elements.count;
        reals.bytes.resize(checked_size(elements.count, sizeof(double)));
        const std::span<double> generated = reals.mutable_values<double>();
        visit_number(dtype, [&](auto zero) {
          using T = decltype(zero);
          if constexpr (std::is_integral_v<T>) {
            const std::span<const T> all = elements.values<T>();
            for (uint64_t i = 0; i < elements.count; ++i) {
              generated[i] = elements.is_missing(i) ? std::numeric_limits<double>::quiet_NaN()
                             : is_truth             ? all[i] != 0
                                                    : static_cast<double>(all[i]);
              if (!elements.is_missing(i) && !is_truth &&
                  (std::cmp_greater(all[i], kExactReals) || std::cmp_less(all[i], -kExactReals)))
                throw unsupported(
                    "{} with missing values, which only 64-bit floating-point numbers can represent", all[i]);
            }
          }
        });
        return reals;
      });
}

}  // namespace plainfs
