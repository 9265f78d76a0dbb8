// The metadata in a zarr.json or a .zarray, in one form for both versions.
#pragma once

#include <optional>
#include <string>

#include "formats/containers/zarr/chain.h"
#include "formats/containers/zarr/keys.h"
#include "formats/core/model/arrays/chunked_array.h"
#include "formats/core/model/elements/attribute.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

struct ArrayMetadata {
  ChunkGrid grid;
  ChunkKeys keys;
  CodecChain chain;
  Elements fill;                      // one element of chain.dtype
  std::optional<Error> fill_error{};  // why fill is missing; only absent chunks fail with it
  // For version 2, the fill value in the document's spelling. nullopt if it is null, and for version 3.
  std::optional<Json> stated_fill{};
  Json nczarr{};  // for version 2, the members that NCZarr 4.9 adds, or null
};

// These throw damaged if the document is invalid, unsupported if it names something that plainfs cannot read.
// They throw both even if there are no chunks.
ArrayMetadata parse_v2_array(const Json& zarray);
ArrayMetadata parse_v3_array(const Json& zarr_json);
// Returns the members of attributes, then dimension_names if the node has them.
Attributes parse_v3_attributes(const Json& zarr_json);
// Throws damaged unless zattrs is an object.
Attributes parse_v2_attributes(const Json& zattrs);

// Records of two reals named r, i or Real, Imaginary are complex numbers, as in HDF5 (fs/VIEWS.md, section
// 2). Returns metadata with such records as complex numbers, unchanged if it has no such records. Records
// remain records if they have room between the two reals, two byte orders, shards, or codecs that see the
// array.
ArrayMetadata with_pairs_as_complex(ArrayMetadata metadata);

enum class NodeType { array, group };
// Returns the node type of a zarr.json after the checks that hold for both types.
NodeType parse_v3_node_type(const Json& zarr_json);
void check_v3_group(const Json& zarr_json);
void check_v2_group(const Json& zgroup);

}  // namespace plainfs::zarr
