// Half-precision numbers: the 16-bit floating-point numbers of IEEE 754.
#pragma once

#include <cstdint>

namespace plainfs {

// An IEEE 754 binary16. It only carries the bits: convert to float to compute.
struct Half {
  uint16_t bits;
};
float to_float(Half value);
Half to_half(float value);  // rounds to nearest, ties to even

// Returns a number as one to compute with: a half as a float, any other as it is.
template <class T>
T plain_number(T value) {
  return value;
}
inline float plain_number(Half value) {
  return to_float(value);
}

}  // namespace plainfs
