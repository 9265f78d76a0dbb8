// Runs of an array's elements in C order, independent of its chunks, and the number of elements to read at a
// time.
#pragma once

#include <cstdint>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// Returns the largest box that begins at element `first` of the shape, is contiguous in C order, and has at
// most `count` elements. Requires: first is below the number of elements, count > 0.
Box box_at(const Shape& shape, uint64_t first, uint64_t count);

// Returns elements [first, first + count) in C order of the shape, read in as few boxes as possible.
// Requires: first + count <= array.count(). Throws what Array::read throws.
Elements read_run(const Array& array, uint64_t first, uint64_t count);

// Returns the elements of read_run(), read with Array::peek().
Elements peek_run(const Array& array, uint64_t first, uint64_t count);

// Calls Array::release() for the boxes of read_run().
void passed_run(const Array& array, uint64_t first, uint64_t count);

// Returns the number of elements that a pass in C order works on at a time: those of all adjacent chunks that
// it crosses repeatedly until it has passed them all. `shape` and `chunk` have the same rank.
uint64_t elements_in_band(const Shape& shape, const Shape& chunk);

// Returns the approximate number of bytes of an element in memory.
uint64_t decoded_size(const DType& type);

// Returns how many elements to read at a time in a pass that would like to read `wanted`. Returns more if a
// band of chunks does not fit in the cache, so that its chunks are not decoded again for each small read.
uint64_t run_length(uint64_t wanted, uint64_t band_elements, const DType& type, const Context& context);

}  // namespace plainfs
