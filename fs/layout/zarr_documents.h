// The documents of a Zarr hierarchy: .zgroup, .zarray, .zattrs and .zmetadata of version 2, zarr.json of
// version 3. They equal those of zarr-python, byte for byte.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/text/indented_json.h"
#include "fs/layout/zarr_tree.h"

namespace plainfs {

inline constexpr JsonLayout kZarr2Json{4, true}, kZarr3Json{2, false};
// Returns the text of a document. Throws damaged if a text or key is not UTF-8.
std::string python_json(const Json& value, JsonLayout layout);

Json zarr2_group();
// compressor: null: none.
Json zarr2_array(const ZarrArray& array, const Shape& chunk, Json compressor = nullptr);
// documents: by their paths, "obs/.zgroup".
Json zarr2_consolidated(Json::Object documents);

// How an array of version 3 is stored.
struct Zarr3Storage {
  Shape chunk;
  std::optional<Shape> shard;  // nullopt: each chunk is a file
  // The level of zstd in the document, where 0 is the default; nullopt: not compressed.
  std::optional<int> level;
};
Json zarr3_group(const std::optional<Json>& attributes);
// Throws unsupported for a type that version 3 does not have.
Json zarr3_array(const ZarrArray& array, const std::optional<Json>& attributes, const Zarr3Storage& storage);

struct Zarr3Node {
  std::string path;  // "" for the root
  Json document;
};
// Returns the root's document with those of all nodes, in the order of zarr-python. Requires: the first node
// is the root, a group.
Json zarr3_consolidated(const std::vector<Zarr3Node>& nodes);

}  // namespace plainfs
