// The version string of a BPCells store, which says what kind of store it is and so which arrays it has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/bpcells/bp128.h"
#include "formats/core/model/dtype.h"

namespace plainfs::bpcells {

enum class ValueType : uint8_t { uint32, float32, float64 };

struct StoredVersion {
  bool packed = false;
  bool fragments = false;                // else a matrix
  ValueType values = ValueType::uint32;  // of a matrix
  unsigned number = 2;                   // 1: no *_idx_offsets, and pointers of 32 bits
};

// "packed-uint-matrix-v2" and the like; nullopt for every string that BPCells does not know.
std::optional<StoredVersion> parse_version(std::string_view text);

// A logical array of numbers, and how it is stored.
struct NumberArray {
  std::string name;
  DType type;
  bool packed = false;  // as NAME_data, NAME_idx, NAME_idx_offsets (v2), NAME_starts (differences)
  Transform transform = Transform::none;
};

// One value a nonzero: val and index; or a fragment: cell, start and end (its packed form holds end - start).
std::vector<NumberArray> entry_arrays(const StoredVersion& version);

// "idxptr" or "chr_ptr", and the type that a directory has for it.
std::string pointer_name(const StoredVersion& version);
DType pointer_type(const StoredVersion& version);

// The arrays as a store keeps them. Lists of names have Kind::text.
struct DirectoryArray {
  std::string name;
  DType type;
};
std::vector<DirectoryArray> directory_arrays(const StoredVersion& version);

}  // namespace plainfs::bpcells
