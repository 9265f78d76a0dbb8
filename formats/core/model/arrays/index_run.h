// Runs of integers of any dtype that are used as counts, indices or positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/text/number_loops.h"

namespace plainfs {

// Elements [first, first + count) of `array` as U (uint32_t or uint64_t), all of them >= 0 and < limit.
// Throws damaged, naming `what` they are, if one is out of range or the dtype is not an integer. The elements
// are not copied if they are stored as U or its signed counterpart.
template <class U>
class IndexRun {
 public:
  // Like the constructor below, but does not check elements stored as U or its signed counterpart against
  // `limit`. The caller compares them as unsigned numbers: a negative one is then above every limit up to
  // 2^(bits of U - 1).
  static IndexRun unchecked(const Array& array, uint64_t first, uint64_t count, uint64_t limit,
                            std::string_view what) {
    return IndexRun(read_run(array, first, count), array.dtype(), count, limit, what);
  }
  IndexRun(const Array& array, uint64_t first, uint64_t count, uint64_t limit, std::string_view what)
      : elements_(read_run(array, first, count)) {
    take(array.dtype(), elements_, 0, count, limit, what);
  }
  // Uses elements of the given type that were read already. `read` must outlive this object.
  IndexRun(const DType& type, const Elements& read, uint64_t first, uint64_t count, uint64_t limit,
           std::string_view what) {
    take(type, read, first, count, limit, what);
  }
  IndexRun(const IndexRun&) = delete;
  IndexRun& operator=(const IndexRun&) = delete;

  std::span<const U> values() const { return values_; }

 private:
  IndexRun(Elements read, const DType& type, uint64_t count, uint64_t limit, std::string_view what)
      : elements_(std::move(read)) {
    if (type.is_integer() && type.size == sizeof(U))
      values_ = {reinterpret_cast<const U*>(elements_.bytes.data()), count};
    else
      take(type, elements_, 0, count, limit, what);
  }
  void take(const DType& type, const Elements& read, uint64_t first, uint64_t count, uint64_t limit,
            std::string_view what) {
    visit_number(type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        take(read.values<T>().subspan(first, count), limit, what);
      else
        throw damaged("{} is {}, expected integers", what, type.name());
    });
  }
  template <class T>
  void take(std::span<const T> values, uint64_t limit, std::string_view what) {
    // A negative number is above every limit as an unsigned one.
    using Unsigned = std::make_unsigned_t<T>;
    const uint64_t most = static_cast<uint64_t>(std::numeric_limits<T>::max());
    const std::span stored(reinterpret_cast<const Unsigned*>(values.data()), values.size());
    const auto last = static_cast<Unsigned>(std::min(limit - 1, most));
    if (!stored.empty() && (limit == 0 || !all_hold(stored, [last](Unsigned v) { return v <= last; }))) {
      const auto bad =
          std::find_if(stored.begin(), stored.end(), [&](Unsigned v) { return v >= limit || v > most; });
      if (limit == UINT64_MAX && *bad > most) throw damaged("{} {} is negative", what, static_cast<T>(*bad));
      throw damaged("{} {} is not below {}", what, static_cast<T>(*bad), limit);
    }
    if constexpr (sizeof(T) == sizeof(U)) {
      values_ = {reinterpret_cast<const U*>(values.data()), values.size()};
    } else {
      converted_.assign(stored.begin(), stored.end());
      values_ = converted_;
    }
  }

  Elements elements_;  // only if they were read for this object
  std::vector<U> converted_;
  std::span<const U> values_;
};

}  // namespace plainfs
