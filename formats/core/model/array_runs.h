// Runs of an array's elements in C order, however the array is chunked, and how much to read at a time.
#pragma once

#include <cstdint>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// The largest box that begins at element first of the shape, is contiguous in C order, and has at most count
// elements. Requires: first is below the number of elements, count > 0.
Box box_at(const Shape& shape, uint64_t first, uint64_t count);

// Elements [first, first + count) in C order of the shape, put together from as few boxes as that takes.
// Requires: first + count <= array.count(). Throws what Array::read throws.
Elements read_run(const Array& array, uint64_t first, uint64_t count);

// The same by Array::peek().
Elements peek_run(const Array& array, uint64_t first, uint64_t count);

// Array::passed() of the same boxes.
void passed_run(const Array& array, uint64_t first, uint64_t count);

// The elements that one pass along the array has in hand at once when it reads runs in C order: those of all
// chunks side by side that it crosses again and again, until it leaves them all. shape and chunk have the
// same rank.
uint64_t elements_in_band(const Shape& shape, const Shape& chunk);

// Bytes an element takes in memory, about.
uint64_t decoded_size(const DType& type);

// How many elements to read at a time in a pass that would like to read `wanted`: more where a band of chunks
// does not fit the cache, so that its chunks are not decoded anew for every little read.
uint64_t run_length(uint64_t wanted, uint64_t band_elements, const DType& type, const Context& context);

}  // namespace plainfs
