// Arithmetic on numbers that come from a file. A result that does not fit is damage, never a wrapped value.
#pragma once

#include <cstdint>

#include "formats/model/error.h"

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

// ceil(a / b) without overflow. Requires: b > 0.
inline uint64_t divide_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

}  // namespace plainfs
