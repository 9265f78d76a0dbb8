// The bit packing of BPCells: blocks of 128 unsigned 32-bit values, each packed with its own number of bits
// (0 to 32) into 4 * width words, interleaved over four lanes. FORMAT.md has the layout.
//
// A block of width 32 holds the plain values: no transform was applied to it and none is undone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plainfs::bpcells {

inline constexpr size_t kBlockValues = 128;
inline constexpr unsigned kMaxWidth = 32;

// What was done to the values before they were packed; unpacking undoes it. All sums are modulo 2^32.
enum class Transform : uint8_t {
  none,
  minus_one,          // "m1": value - 1
  difference,         // "d1": value[i] - value[i - 1]; the first to the block's start
  zigzag_difference,  // "d1z": the same, zigzag-encoded
};

constexpr bool uses_starts(Transform transform) {
  return transform == Transform::difference || transform == Transform::zigzag_difference;
}

// Unpacks one block of 4 * width words into 128 values. start is used by the two differences only.
// Requires: width <= kMaxWidth.
void unpack_block(unsigned width, Transform transform, uint32_t start, const uint32_t* words,
                  uint32_t* values);
// The same on processors without AVX2, or as if on one.
void unpack_block_anywhere(unsigned width, Transform transform, uint32_t start, const uint32_t* words,
                           uint32_t* values);

// Of a block of Transform::zigzag_difference whose first difference is 0, as BPCells writes it: whether all
// others are above 0; sum: of them, which is how far above the first value the last one is then. Half the
// work of unpacking it. Requires: width <= kMostRisingWidth.
bool differences_rise(unsigned width, const uint32_t* words, uint32_t& sum);
// The same on processors without AVX2, or as if on one.
bool differences_rise_anywhere(unsigned width, const uint32_t* words, uint32_t& sum);
inline constexpr unsigned kMostRisingWidth = 24;  // up to which no sum is over 2^31

}  // namespace plainfs::bpcells
