// The version string of a BPCells store. It names the kind of store and thereby the arrays in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/bpcells/bp128.h"
#include "formats/core/model/elements/dtype.h"

namespace plainfs::bpcells {

enum class ValueType : uint8_t { uint32, float32, float64 };

struct StoredVersion {
  bool packed = false;
  bool fragments = false;                // otherwise a matrix
  ValueType values = ValueType::uint32;  // of a matrix
  unsigned number = 2;                   // version 1 has no *_idx_offsets, and 32-bit pointers
};

// Parses "packed-uint-matrix-v2" and similar strings. Returns nullopt for a string that BPCells does not
// know.
std::optional<StoredVersion> parse_version(std::string_view text);

// A logical array of numbers and its storage.
struct NumberArray {
  std::string name;
  DType type;
  bool packed = false;  // stored as NAME_data, NAME_idx, NAME_idx_offsets (v2), NAME_starts (differences)
  Transform transform = Transform::none;
};

// Returns the arrays with one value per entry. The entry of a matrix is a nonzero: val and index. The entry
// of fragments is a fragment: cell, start and end. Packed, end holds end - start.
std::vector<NumberArray> entry_arrays(const StoredVersion& version);

// Return the name of the pointers, "idxptr" or "chr_ptr", and their type in a directory.
std::string pointer_name(const StoredVersion& version);
DType pointer_type(const StoredVersion& version);

// An array as a directory stores it. Lists of names have Kind::text.
struct DirectoryArray {
  std::string name;
  DType type;
};
std::vector<DirectoryArray> directory_arrays(const StoredVersion& version);

}  // namespace plainfs::bpcells
