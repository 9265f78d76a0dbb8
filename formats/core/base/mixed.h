// Mixes a value into a fingerprint: order counts, and a bit changed anywhere changes about half of all bits.
#pragma once

#include <cstdint>

namespace plainfs {

inline uint64_t mixed(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

}  // namespace plainfs
