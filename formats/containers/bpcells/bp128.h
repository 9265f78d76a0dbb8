// The bit packing of BPCells: blocks of 128 unsigned 32-bit values. Each block is packed with its own number
// of bits (0 to 32) into 4 * width words, interleaved over four lanes. schemas/bpcells/FORMAT.md describes
// the layout.
//
// A block of width 32 holds the plain values: no transform was applied to it and none is undone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plainfs::bpcells {

inline constexpr size_t kBlockValues = 128;
inline constexpr unsigned kMaxWidth = 32;

// The transform that was applied to the values before they were packed. Unpacking undoes it. All sums are
// modulo 2^32.
enum class Transform : uint8_t {
  none,
  minus_one,          // "m1": value - 1
  difference,         // "d1": value[i] - value[i - 1]; the first value minus the block's start
  zigzag_difference,  // "d1z": like difference, zigzag-encoded
};

constexpr bool uses_starts(Transform transform) {
  return transform == Transform::difference || transform == Transform::zigzag_difference;
}

// Unpacks one block of 4 * width words into 128 values. Only the two differences use start. Requires: width
// <= kMaxWidth.
void unpack_block(unsigned width, Transform transform, uint32_t start, const uint32_t* words,
                  uint32_t* values);
// Does the work of unpack_block without AVX2, on any processor.
void unpack_block_anywhere(unsigned width, Transform transform, uint32_t start, const uint32_t* words,
                           uint32_t* values);

// Returns whether all differences but the first are above 0 in a block of Transform::zigzag_difference, which
// begins with a difference of 0 in files that BPCells writes. If so, sets sum to the sum of the differences:
// the last value minus the first. Takes half the time of unpack_block. Requires: width <= kMaxRisingWidth.
bool differences_rise(unsigned width, const uint32_t* words, uint32_t& sum);
// Does the work of differences_rise without AVX2, on any processor.
bool differences_rise_anywhere(unsigned width, const uint32_t* words, uint32_t& sum);
inline constexpr unsigned kMaxRisingWidth = 24;  // the largest width at which no sum exceeds 2^31

}  // namespace plainfs::bpcells
