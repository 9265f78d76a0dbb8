#include "formats/core/base/half.h"

#include <bit>

namespace plainfs {

float to_float(Half value) {
  const uint32_t sign = uint32_t{value.bits & 0x8000u} << 16;
  const uint32_t exponent = (value.bits >> 10) & 0x1f;
  const uint32_t fraction = value.bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float subnormal = static_cast<float>(fraction) * 0x1p-24f;  // exact
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(subnormal));
}

Half to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ff))};
  // From 65520 on, halfway between the largest half and 2^16, everything is infinite.
  if (magnitude >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};
  if (magnitude < 0x38800000u) {
    // Below the least normal half, adding 0.5 puts 2^-24, the least half, into the last bit of the sum.
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(sum) - 0x3f000000u))};
  }
  const uint32_t odd = magnitude >> 13 & 1;
  return {static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xfff + odd) >> 13)};
}

}  // namespace plainfs
