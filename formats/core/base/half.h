// The 16 bit reals of IEEE 754.
#pragma once

#include <cstdint>

namespace plainfs {

// IEEE 754 binary16. Only a carrier of bits: convert to float to compute.
struct Half {
  uint16_t bits;
};
float to_float(Half value);
Half to_half(float value);  // rounds to nearest, ties to even

}  // namespace plainfs
