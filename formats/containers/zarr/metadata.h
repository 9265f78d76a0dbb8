// What a zarr.json or a .zarray says, in one form for both versions.
#pragma once

#include <optional>
#include <string>

#include "formats/containers/zarr/chain.h"
#include "formats/core/model/attribute.h"
#include "formats/core/model/chunked_array.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

// How the key of a chunk is made of its place on the grid.
struct ChunkKeys {
  bool leading_c = false;  // v3 default: "c/1/0", at rank 0 "c"; else "1/0", at rank 0 "0"
  char separator = '.';
  bool separator_is_known = true;  // v2 stores made before dimension_separator existed may use either

  std::string key(std::span<const uint64_t> chunk, char separator_used) const;
};

struct ArrayMetadata {
  ChunkGrid grid;
  ChunkKeys keys;
  CodecChain chain;
  Elements fill;  // one element of chain.dtype
  std::optional<Json>
      stated_fill{};  // of version 2, as the document spells it; nullopt for null, and of version 3
  Json nczarr{};      // of version 2, what NCZarr 4.9 adds to the document; null if nothing
};

// All of these throw damaged where the document is wrong, unsupported where it names something that plainfs
// cannot read; both also where no chunk is there.
ArrayMetadata parse_v2_array(const Json& zarray);
ArrayMetadata parse_v3_array(const Json& zarr_json);
// The attributes member, then dimension_names where the node has them.
Attributes parse_v3_attributes(const Json& zarr_json);
// Throws damaged where zattrs is no object.
Attributes parse_v2_attributes(const Json& zattrs);

enum class NodeType { array, group };
// Of a zarr.json; with the checks that hold for both types of node.
NodeType parse_v3_node_type(const Json& zarr_json);
void check_v3_group(const Json& zarr_json);
void check_v2_group(const Json& zgroup);

}  // namespace plainfs::zarr
