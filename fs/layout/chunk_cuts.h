// Chunks of an array in order of its elements, for files that store it in compressed chunks.
#pragma once

#include <functional>

#include "formats/core/base/bytes.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs {

// Returns the number of elements along all axes but the first; 1 without axes. Throws like element_count().
uint64_t elements_of_row(const Shape& shape);

// Cuts a band: the bytes of as many rows of an array of `shape` as a chunk has, or of fewer at its end. Calls
// use(origin, bytes) for each chunk of it, by rising origin within the band, with zeros beyond the array.
void cut_band(const Shape& shape, const Shape& chunk, uint64_t element_bytes, ByteSpan band,
              const std::function<void(const Shape& origin, Bytes bytes)>& use);

}  // namespace plainfs
