// Arithmetic on numbers that come from a file. A result that does not fit is damage, never a wrapped value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/core/base/error.h"

namespace plainfs {

inline uint64_t checked_add(uint64_t a, uint64_t b) {
  uint64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) throw damaged("{} + {} is over 64 bits", a, b);
  return sum;
}

inline uint64_t checked_multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) throw damaged("{} * {} is over 64 bits", a, b);
  return product;
}

// Returns count * size, for an allocation. Throws damaged if no memory could be that large.
inline size_t checked_size(uint64_t count, uint64_t size) {
  const uint64_t bytes = checked_multiply(count, size);
  if (bytes > PTRDIFF_MAX) throw damaged("{} elements of {} bytes are too many", count, size);
  return bytes;
}

// Returns the sum or product, UINT64_MAX if it does not fit. For estimates, which need no error.
inline uint64_t saturating_add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

inline uint64_t saturating_multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// Returns ceil(a / b) without overflow. Requires: b > 0.
inline uint64_t divide_up(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

}  // namespace plainfs
