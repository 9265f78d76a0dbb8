// Elements that were sorted by their bytes or bits before they were compressed (shuffle, bitshuffle), put
// together again.
#pragma once

#include <cstddef>

namespace plainfs {

// planes: the first byte of each of count elements of size bytes, then the second of each, and so on. Writes
// the elements to out.
void join_byte_planes(const std::byte* planes, size_t count, size_t size, std::byte* out);

// planes: the lowest bit of each of size bytes, eight to a byte from its lowest bit on, then the next bit of
// each, and so on. Writes the bytes to out. c-blosc 1.21 does that bit by bit for elements of an odd size
// (bitshuffle-sse2.c), and VCF Zarr keeps all its calls so. Requires: size is a multiple of 8.
void join_bit_planes(const std::byte* planes, size_t size, std::byte* out);

}  // namespace plainfs
