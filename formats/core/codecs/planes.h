// Reassembles elements that were sorted by their bytes or bits before compression (shuffle, bitshuffle).
#pragma once

#include <cstddef>

namespace plainfs {

// Writes the elements to `out`. planes: the first byte of each of `count` elements of `size` bytes, then the
// second byte of each, and so on.
void join_byte_planes(const std::byte* planes, size_t count, size_t size, std::byte* out);

// Writes the bytes to `out`. planes: the lowest bit of each of `size` bytes, eight to a byte from its lowest
// bit on, then the next bit of each, and so on. c-blosc 1.21 does that bit by bit for elements of an odd size
// (bitshuffle-sse2.c), and VCF Zarr stores all its calls so. Requires: size is a multiple of 8.
void join_bit_planes(const std::byte* planes, size_t size, std::byte* out);

}  // namespace plainfs
