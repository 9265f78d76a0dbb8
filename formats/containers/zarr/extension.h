// The parts of a zarr.json's array: extension points, which are "name", or {"name": …, "configuration": {…},
// "must_understand": …}, and the data type and the codecs, which are such points.
#pragma once

#include <string>
#include <vector>

#include "formats/containers/zarr/chain.h"
#include "formats/core/model/elements/dtype.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

struct Extension {
  std::string name;
  Json configuration;  // an object, empty if absent
};

// Parses an extension point. what: the member that contains it, for the message. Throws damaged if it is
// invalid.
Extension parse_extension(const Json& value, std::string_view what);

// Returns the type that a data_type names, in native byte order. Only the codecs determine how it is stored.
// Throws unsupported if plainfs does not know the type.
DType parse_v3_dtype(const Json& data_type);

// All lengths that a chunk may have along each axis.
using ChunkLengths = std::vector<std::vector<uint64_t>>;

// Parses the list codecs of an array of dtype. Throws damaged if they do not form a chain or if shards cannot
// be divided into their inner chunks, unsupported if a codec is unknown.
CodecChain parse_v3_codecs(const Json& codecs, const DType& dtype, ChunkLengths lengths);

}  // namespace plainfs::zarr
