// Loops over runs of numbers, without branches or calls. Each is compiled for the baseline processor and for
// AVX2, which takes a fraction of the time. Without them these loops would dominate the cost of files with
// numbers that are widened or transposed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace plainfs {

// An unsigned type as wide as T for the result per value, so that a register holds as many results as values.
template <class T>
using OneAsWide =
    std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint8_t>>;

template <class T, class Make>
[[gnu::always_inline]] inline void convert_plainly(std::span<const T> values, std::byte* out, Make make) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto generated = make(values[i]);
    std::memcpy(out + i * sizeof generated, &generated, sizeof generated);
  }
}

template <class T, class Holds>
[[gnu::always_inline]] inline bool hold_plainly(std::span<const T> values, Holds holds) {
  OneAsWide<T> fails = 0;
  for (const T value : values) fails |= !holds(value);
  return fails == 0;
}

template <class T>
[[gnu::always_inline]] inline bool rise_plainly(std::span<const T> values) {
  OneAsWide<T> falls = 0;
  for (size_t i = 1; i < values.size(); ++i) falls |= !(values[i - 1] < values[i]);
  return falls == 0;
}

template <class T>
[[gnu::always_inline]] inline T largest_plainly(std::span<const T> values) {
  T most = 0;
  for (const T value : values) most = value > most ? value : most;
  return most;
}

template <class T>
[[gnu::always_inline]] inline uint64_t count_plainly(std::span<const T> values, T least) {
  OneAsWide<T> reach_it = 0;
  for (const T value : values) reach_it += value >= least;
  return reach_it;
}

template <class T, class Size>
[[gnu::always_inline]] inline uint64_t split_signs_plainly(std::span<const T> values, Size* sizes) {
  Size negative = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Size stored = static_cast<Size>(values[i]),
               is_negative = std::is_signed_v<T> ? stored >> (sizeof(Size) * 8 - 1) : 0;
    sizes[i] = (stored ^ (Size{0} - is_negative)) + is_negative;
    negative += is_negative;
  }
  return negative;
}

#if defined(__x86_64__)
template <class T, class Make>
__attribute__((target("avx2"))) void convert_by_avx2(std::span<const T> values, std::byte* out, Make make) {
  convert_plainly(values, out, make);
}
template <class T, class Holds>
__attribute__((target("avx2"))) bool hold_by_avx2(std::span<const T> values, Holds holds) {
  return hold_plainly(values, holds);
}
template <class T>
__attribute__((target("avx2"))) bool rise_by_avx2(std::span<const T> values) {
  return rise_plainly(values);
}
template <class T>
__attribute__((target("avx2"))) T largest_by_avx2(std::span<const T> values) {
  return largest_plainly(values);
}
template <class T, class Size>
__attribute__((target("avx2"))) uint64_t split_signs_by_avx2(std::span<const T> values, Size* sizes) {
  return split_signs_plainly(values, sizes);
}
template <class T>
__attribute__((target("avx2"))) uint64_t count_by_avx2(std::span<const T> values, T least) {
  return count_plainly(values, least);
}
#endif

// Writes make(value) of each value to out, which need not be aligned.
template <class T, class Make>
void convert(std::span<const T> values, std::byte* out, Make make) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return convert_by_avx2(values, out, make);
#endif
  convert_plainly(values, out, make);
}

// Returns whether holds(value) is true for every value.
template <class T, class Holds>
bool all_hold(std::span<const T> values, Holds holds) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return hold_by_avx2(values, holds);
#endif
  return hold_plainly(values, holds);
}

// Returns whether each value is above the one before it.
template <class T>
bool rise_strictly(std::span<const T> values) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return rise_by_avx2(values);
#endif
  return rise_plainly(values);
}

// Returns the largest value; 0 for an empty span. For unsigned integers.
template <class T>
T largest(std::span<const T> values) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return largest_by_avx2(values);
#endif
  return largest_plainly(values);
}

// Returns how many values are at least `least`. Requires: the number of values fits in T.
template <class T>
uint64_t count_at_least(std::span<const T> values, T least) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return count_by_avx2(values, least);
#endif
  return count_plainly(values, least);
}

// Writes |value| of each integer to `sizes`. Returns how many are negative. Requires: Size is uint32_t or
// uint64_t, not narrower than T, and holds the number of values.
template <class T, class Size>
uint64_t split_signs(std::span<const T> values, Size* sizes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return split_signs_by_avx2(values, sizes);
#endif
  return split_signs_plainly(values, sizes);
}

}  // namespace plainfs
