// Parses the codecs member of a v3 array into a chain that can be run.
#pragma once

#include <vector>

#include "formats/containers/zarr/chain.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

// All lengths that a chunk may have along each axis.
using ChunkLengths = std::vector<std::vector<uint64_t>>;

// Parses the list codecs of an array of dtype. Throws damaged if they do not form a chain or if shards cannot
// be divided into their inner chunks, unsupported if a codec is unknown.
CodecChain parse_v3_codecs(const Json& codecs, const DType& dtype, ChunkLengths lengths);

}  // namespace plainfs::zarr
