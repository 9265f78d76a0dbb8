// The chunks and shards of compressed Zarr arrays: bands of whole rows, or tiles of bands if the rows are
// long.
#pragma once

#include <cstdint>

#include "formats/core/model/arrays/array.h"

namespace plainfs {

// The largest chunk of an array with one axis: of zarr-python 2, and of anndata 0.13.
inline constexpr uint64_t kZarr2ChunkBytes = uint64_t{64} << 20, kZarr3ChunkBytes = uint64_t{1} << 20;
// The largest shard of anndata 0.13.
inline constexpr uint64_t kZarrShardBytes = 1'000'000'000;

// Returns the chunk shape of an array, in which no axis is 0. With one axis it is the one that zarr-python
// chooses (zarr 2.13, util.guess_chunks; zarr 3.3, core/chunk_grids.py). With more, its rows are as long as
// the array's, or at least 256 elements along the second axis, so that a reader of some columns need not read
// all. element_bytes: as the writer counts them. Throws damaged if the sizes exceed 64 bits.
Shape zarr_chunk(const Shape& shape, uint64_t element_bytes, uint64_t max_bytes);

// Returns the shape of a shard: all chunks side by side, and as many bands of them as max_bytes hold, at
// least one, before they are compressed. Requires: shape is not empty; chunk: of zarr_chunk().
Shape zarr_shard(const Shape& shape, const Shape& chunk, uint64_t element_bytes, uint64_t max_bytes);

// Returns the number of chunks along an axis.
uint64_t zarr_chunks(const Shape& shape, const Shape& chunk, size_t axis);

}  // namespace plainfs
