// The codecs member of a v3 array, made into a chain that can be run.
#pragma once

#include <vector>

#include "formats/containers/zarr/chain.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

// Every length that a chunk may have along each axis.
using ChunkLengths = std::vector<std::vector<uint64_t>>;

// codecs: the list. dtype: of the array. Throws damaged where they do not make a chain, or where shards
// cannot be divided into their inner chunks; unsupported where one of them is unknown.
CodecChain parse_v3_codecs(const Json& codecs, const DType& dtype, ChunkLengths lengths);

}  // namespace plainfs::zarr
