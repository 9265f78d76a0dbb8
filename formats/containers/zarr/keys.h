// What the names in a Zarr store's folders stand for: documents, chunks, or files of others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/key_store.h"

namespace plainfs::zarr {

inline constexpr const char* kV3 = "zarr.json";
inline constexpr const char* kV2Array = ".zarray";
inline constexpr const char* kV2Group = ".zgroup";
inline constexpr const char* kV2Attributes = ".zattrs";
inline constexpr const char* kV2Consolidated = ".zmetadata";

// A folder with one of these is a node, or the root of a store.
inline constexpr const char* kRootDocuments[] = {kV3, kV2Array, kV2Group, kV2Consolidated, kV2Attributes};

// "a/b" of the folder "a" and the name "b"; the name of what is in the root ("").
std::string key_of(const std::string& folder, std::string_view name);

// Whether a name of a folder is shown only if it is that of a node: one that begins with a dot, and what
// macOS adds to an archive.
bool is_hidden(std::string_view name);
// Whether a file of that name is one of Zarr's documents.
bool is_document(std::string_view name);
// Whether a name consists of the indices of a chunk in any spelling: "0", "1.0", "c.1.0", "00_01".
bool looks_like_chunk(std::string_view name);

// How the key of a chunk is made of its place on the grid.
struct ChunkKeys {
  bool leading_c = false;  // v3 default: "c/1/0", at rank 0 "c"; else "1/0", at rank 0 "0"
  char separator = '.';
  bool separator_is_known = true;  // v2 stores made before dimension_separator existed may use either

  std::string key(std::span<const uint64_t> chunk) const;
  // Whether an entry of an array's folder is a chunk of that rank, or a folder of chunks, in this spelling.
  bool may_be(const Entry& entry, size_t rank) const;
  // The other spellings that writers use, the likeliest first.
  std::vector<ChunkKeys> others() const;
};

}  // namespace plainfs::zarr
