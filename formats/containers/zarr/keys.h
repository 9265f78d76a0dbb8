// The meanings of names in the folders of a Zarr store: documents, chunks and other files.
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
inline constexpr const char* kRootDocuments[] = {kV3, kV2Consolidated, kV2Array, kV2Group, kV2Attributes};

// Returns the key of name in folder: "a/b" for "a" and "b", name itself in the root ("").
std::string key_of(const std::string& folder, std::string_view name);

// Returns whether a name in a folder is shown only if it is a node: a name that begins with a dot, or one
// that macOS adds to archives.
bool is_hidden(std::string_view name);
// Returns whether a file of this name is one of Zarr's documents.
bool is_document(std::string_view name);
// Returns whether a name consists of the indices of a chunk in any spelling: "0", "1.0", "c.1.0", "00_01".
bool looks_like_chunk(std::string_view name);

// The spelling of chunk keys.
struct ChunkKeys {
  bool leading_c = false;  // v3 default: "c/1/0", at rank 0 "c"; else "1/0", at rank 0 "0"
  char separator = '.';
  bool separator_is_known = true;  // false for v2 stores older than dimension_separator, which may use either

  std::string key(std::span<const uint64_t> chunk) const;
  // Returns whether an entry of an array's folder is a chunk of that rank, or a folder of chunks, in this
  // spelling.
  bool may_be(const Entry& entry, size_t rank) const;
  // Returns the other spellings that writers use, the likeliest first.
  std::vector<ChunkKeys> others() const;
};

}  // namespace plainfs::zarr
