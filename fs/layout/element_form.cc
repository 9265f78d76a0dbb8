#include "fs/layout/element_form.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "formats/core/base/error.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/elements/r_missing.h"
#include "formats/core/text/number_loops.h"

namespace plainfs {

namespace {

constexpr uint64_t kRNaN = 0x7ff8000000000000;
constexpr int64_t kWholeInDouble = int64_t{1} << 53;

template <class T>
constexpr T swapped(T value) {
  if constexpr (sizeof(T) == 1)
    return value;
  else if constexpr (sizeof(T) == 2)
    return __builtin_bswap16(value);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bswap32(value);
  else
    return __builtin_bswap64(value);
}

// Returns a number as a real of another type. One of the same type keeps all bits: the conversion of a float
// to double and back would change a signalling NaN, unless the compiler leaves it out.
template <class Out, class T>
Out as_real(T value) {
  if constexpr (std::is_same_v<Out, T>)
    return value;
  else
    return static_cast<Out>(number_cast<double>(value));
}

// Values that are checked and then written at a time, so that they are read from memory once.
constexpr uint64_t kValuesAtOnce = 4096;

// Writes make(value) for each element, and `missing` for missing ones. If fits(value) is false for a value
// that is not missing, calls refuse(value), which throws.
template <class T, class Out, class Fits, class Refuse, class Make>
void write_each(const Elements& elements, uint64_t first, uint64_t count, std::byte* out, Out missing,
                Fits fits, Refuse refuse, Make make) {
  const std::span<const T> values = elements.values<T>().subspan(first, count);
  if (elements.missing.empty()) {
    for (uint64_t at = 0; at < count; at += kValuesAtOnce) {
      const std::span<const T> some = values.subspan(at, std::min(kValuesAtOnce, count - at));
      if (!all_hold(some, fits)) refuse(*std::find_if_not(some.begin(), some.end(), fits));
      convert(some, out + at * sizeof(Out), make);
    }
    return;
  }
  for (uint64_t i = 0; i < count; ++i) {
    const bool is_missing = elements.missing[first + i];
    if (!is_missing && !fits(values[i])) refuse(values[i]);
    const Out generated = is_missing ? missing : make(values[i]);
    std::memcpy(out + i * sizeof(Out), &generated, sizeof generated);
  }
}

// Writes values that all fit.
template <class T, class Out, class Make>
void write_each(const Elements& elements, uint64_t first, uint64_t count, std::byte* out, Out missing,
                Make make) {
  write_each<T>(
      elements, first, count, out, missing, [](T) { return true; }, [](T) {}, make);
}

uint64_t r_bits(double value) {
  return swapped(std::isnan(value) ? kRNaN : std::bit_cast<uint64_t>(value));
}

template <class T>
bool is_whole_in_double(T value) {
  if constexpr (std::is_signed_v<T>)
    return value <= kWholeInDouble && value >= -kWholeInDouble;
  else
    return value <= uint64_t{kWholeInDouble};
}

void write_r_double(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                    std::byte* out) {
  const bool is_truth = type.is_truth();
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    constexpr uint64_t kMissing = swapped(kRMissingRealBits);
    if constexpr (!std::is_integral_v<T>)
      write_each<T>(elements, first, count, out, kMissing,
                    [](T value) { return r_bits(number_cast<double>(value)); });
    else if (is_truth)
      write_each<T>(elements, first, count, out, kMissing, [](T value) { return r_bits(value != 0); });
    else
      write_each<T>(
          elements, first, count, out, kMissing, [](T value) { return is_whole_in_double(value); },
          [](T value) { throw unsupported("{} is too large for R's integers", value); },
          [](T value) { return swapped(std::bit_cast<uint64_t>(static_cast<double>(value))); });
  });
}

// Integer: int32_t, or int64_t as bit64 stores it. The least one is NA.
template <class Integer>
void write_r_integer(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                     std::byte* out) {
  using Bits = std::make_unsigned_t<Integer>;
  static constexpr Integer kMissing = std::numeric_limits<Integer>::min();
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      write_each<T>(
          elements, first, count, out, swapped(static_cast<Bits>(kMissing)),
          [](T value) { return std::in_range<Integer>(value) && std::cmp_not_equal(value, kMissing); },
          [](T value) { throw unsupported("R's integers cannot represent {}", value); },
          [](T value) { return swapped(static_cast<Bits>(value)); });
    else
      throw unsupported("{} as R's integer", type.name());
  });
}

void write_r_logical(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                     std::byte* out) {
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    write_each<T>(elements, first, count, out, swapped(static_cast<uint32_t>(kRMissingInteger)),
                  [](T value) { return swapped(uint32_t{number_cast<double>(value) != 0}); });
  });
}

void write_r_complex(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                     std::byte* out) {
  const auto write = [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> parts = elements.values<T>();
    for (uint64_t i = 0; i < 2 * count; ++i) {
      const bool missing = elements.is_missing(first + i / 2);
      const uint64_t bits =
          missing ? swapped(kRMissingRealBits) : r_bits(static_cast<double>(parts[2 * first + i]));
      std::memcpy(out + i * 8, &bits, 8);
    }
  };
  if (type.size == 16) return write(double());
  if (type.size == 8) return write(float());
  throw unsupported("{} as R's complex", type.name());
}

template <class Out>
void write_little(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                  std::byte* out) {
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<Out>) {
      write_each<T>(elements, first, count, out, std::numeric_limits<Out>::quiet_NaN(),
                    [](T value) { return as_real<Out>(value); });
    } else if constexpr (std::is_integral_v<T>) {
      write_each<T>(
          elements, first, count, out, Out{0}, [](T value) { return std::in_range<Out>(value); },
          [](T value) { throw damaged("the number {} is too large", value); },
          [](T value) { return static_cast<Out>(value); });
    } else {
      throw unsupported("{} as integers", type.name());
    }
  });
}

void write_stored(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                  std::byte* out) {
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if (std::is_same_v<T, Half> || elements.missing.empty()) {
      std::memcpy(out, elements.bytes.data() + first * sizeof(T), count * sizeof(T));
    } else if constexpr (std::is_floating_point_v<T>) {
      write_each<T>(elements, first, count, out, std::numeric_limits<T>::quiet_NaN(), [](T v) { return v; });
    } else {
      write_each<T>(elements, first, count, out, T{0}, [](T value) { return value; });
    }
  });
}

// Writes complex numbers as they are stored, missing ones as NaN.
void write_stored_complex(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                          std::byte* out) {
  const auto write = [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> parts = elements.values<T>().subspan(2 * first, 2 * count);
    for (uint64_t i = 0; i < parts.size(); ++i) {
      const bool is_missing = elements.is_missing(first + i / 2);
      const T part = is_missing ? std::numeric_limits<T>::quiet_NaN() : parts[i];
      std::memcpy(out + i * sizeof(T), &part, sizeof(T));
    }
  };
  if (type.size == 16) return write(double());
  if (type.size == 8) return write(float());
  throw unsupported("{} in a file", type.name());
}

// Returns whether a double represents the integer: there are at most 53 bits from the first to the last one
// set.
template <class T>
bool is_exact_in_double(T value) {
  uint64_t magnitude = static_cast<uint64_t>(value);
  if constexpr (std::is_signed_v<T>) magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : magnitude;
  return magnitude == 0 || magnitude >> std::countr_zero(magnitude) < uint64_t{1} << 53;
}

template <class Out>
auto big_bits(Out value) {
  using Bits =
      std::conditional_t<sizeof(Out) == 1, uint8_t,
                         std::conditional_t<sizeof(Out) == 2, uint16_t,
                                            std::conditional_t<sizeof(Out) == 4, uint32_t, uint64_t>>>;
  return swapped(std::bit_cast<Bits>(value));
}

template <class Out>
void write_big(const DType& type, const Elements& elements, uint64_t first, uint64_t count, std::byte* out) {
  const bool is_truth = type.is_truth();
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<Out>) {
      constexpr Out kNaN = std::numeric_limits<Out>::quiet_NaN();
      const auto make = [](T value) { return big_bits(as_real<Out>(value)); };
      if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
        write_each<T>(
            elements, first, count, out, big_bits(kNaN), [](T value) { return is_exact_in_double(value); },
            [](T value) { throw unsupported("NetCDF classic has no type for the integer {}", value); }, make);
      else
        write_each<T>(elements, first, count, out, big_bits(kNaN), make);
    } else if constexpr (std::is_integral_v<T>) {
      if (is_truth)
        write_each<T>(elements, first, count, out, big_bits(Out{0}),
                      [](T value) { return big_bits(static_cast<Out>(value != 0)); });
      else
        write_each<T>(
            elements, first, count, out, big_bits(Out{0}), [](T value) { return std::in_range<Out>(value); },
            [](T value) { throw damaged("{} does not fit its type in NetCDF", value); },
            [](T value) { return big_bits(static_cast<Out>(value)); });
    } else {
      throw unsupported("{} as integers", type.name());
    }
  });
}

void write_big_time(const DType&, const Elements& elements, uint64_t first, uint64_t count, std::byte* out) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  write_each<int64_t>(
      elements, first, count, out, big_bits(kNaN),
      [](int64_t value) { return value == INT64_MIN || is_exact_in_double(value); },
      [](int64_t value) { throw unsupported("NetCDF classic has no type for the integer {}", value); },
      [](int64_t value) { return big_bits(value == INT64_MIN ? kNaN : static_cast<double>(value)); });
}

void write_truth(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                 std::byte* out) {
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    write_each<T>(elements, first, count, out, uint8_t{0},
                  [](T value) { return static_cast<uint8_t>(number_cast<double>(value) != 0); });
  });
}

}  // namespace

ElementForm r_integer() {
  return {4, write_r_integer<int32_t>};
}
ElementForm r_double() {
  return {8, write_r_double};
}
ElementForm r_logical() {
  return {4, write_r_logical};
}
ElementForm r_complex() {
  return {16, write_r_complex};
}
ElementForm r_integer64() {
  return {8, write_r_integer<int64_t>};
}
ElementForm little_int8() {
  return {1, write_little<int8_t>};
}
ElementForm little_int16() {
  return {2, write_little<int16_t>};
}
ElementForm little_int32() {
  return {4, write_little<int32_t>};
}
ElementForm little_int64() {
  return {8, write_little<int64_t>};
}
ElementForm little_uint32() {
  return {4, write_little<uint32_t>};
}
ElementForm little_uint64() {
  return {8, write_little<uint64_t>};
}
ElementForm little_float() {
  return {4, write_little<float>};
}
ElementForm little_double() {
  return {8, write_little<double>};
}
ElementForm big_int8() {
  return {1, write_big<int8_t>};
}
ElementForm big_int16() {
  return {2, write_big<int16_t>};
}
ElementForm big_int32() {
  return {4, write_big<int32_t>};
}
ElementForm big_float() {
  return {4, write_big<float>};
}
ElementForm big_double() {
  return {8, write_big<double>};
}
ElementForm big_time() {
  return {8, write_big_time};
}
ElementForm packed_form(const DType& type) {
  const uint64_t size = type.packed_size();
  if (size > std::numeric_limits<uint32_t>::max()) throw damaged("an element of {} bytes is too large", size);
  return {static_cast<uint32_t>(size), pack};
}
ElementForm little_stored(const DType& type) {
  if (type.is_truth()) return {1, write_truth};
  if (type.kind == Kind::complex) return {type.size, write_stored_complex};
  return {type.size, write_stored};
}

bool ElementForm::is_as_in_memory(const DType& type) const {
  if (write == pack) return layout_of(type) == Layout::flat;
  if (std::endian::native != std::endian::little || !type.is_numeric() || type.is_truth()) return false;
  if (write == write_stored) return true;
  bool is_same = false;
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, Half>) is_same = write == write_little<T>;
  });
  return is_same;
}

}  // namespace plainfs
