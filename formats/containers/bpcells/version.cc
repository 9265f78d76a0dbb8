#include "formats/containers/bpcells/version.h"

namespace plainfs::bpcells {
namespace {

// Removes word and the hyphen after it from the front of text. Returns whether they were there.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || text.substr(word.size(), 1) != "-") return false;
  text.remove_prefix(word.size() + 1);
  return true;
}

DType uint32() {
  return number_type(Kind::unsigned_integer, 4);
}
DType uint64() {
  return number_type(Kind::unsigned_integer, 8);
}

DType value_type(ValueType values) {
  switch (values) {
    case ValueType::uint32:
      return uint32();
    case ValueType::float32:
      return number_type(Kind::real, 4);
    case ValueType::float64:
      break;
  }
  return number_type(Kind::real, 8);
}

void add_stored(const NumberArray& array, unsigned version_number, std::vector<DirectoryArray>& stored) {
  if (!array.packed) {
    stored.push_back({array.name, array.type});
    return;
  }
  stored.push_back({array.name + "_data", uint32()});
  stored.push_back({array.name + "_idx", uint32()});
  if (version_number > 1) stored.push_back({array.name + "_idx_offsets", uint64()});
  if (uses_starts(array.transform)) stored.push_back({array.name + "_starts", uint32()});
}

}  // namespace

std::optional<StoredVersion> parse_version(std::string_view text) {
  StoredVersion version;
  if (take(text, "packed"))
    version.packed = true;
  else if (!take(text, "unpacked"))
    return std::nullopt;
  if (take(text, "fragments")) {
    version.fragments = true;
  } else {
    if (take(text, "uint"))
      version.values = ValueType::uint32;
    else if (take(text, "float"))
      version.values = ValueType::float32;
    else if (take(text, "double"))
      version.values = ValueType::float64;
    else
      return std::nullopt;
    if (!take(text, "matrix")) return std::nullopt;
  }
  if (text == "v1")
    version.number = 1;
  else if (text == "v2")
    version.number = 2;
  else
    return std::nullopt;
  return version;
}

std::vector<NumberArray> entry_arrays(const StoredVersion& version) {
  if (version.fragments) {
    return {{"cell", uint32(), version.packed, Transform::none},
            {"start", uint32(), version.packed, Transform::difference},
            {"end", uint32(), version.packed, Transform::none}};
  }
  // BP-128 packs integers only: a packed matrix of reals has plain values.
  const bool packed_values = version.packed && version.values == ValueType::uint32;
  return {{"val", value_type(version.values), packed_values, Transform::minus_one},
          {"index", uint32(), version.packed, Transform::zigzag_difference}};
}

std::string pointer_name(const StoredVersion& version) {
  return version.fragments ? "chr_ptr" : "idxptr";
}

DType pointer_type(const StoredVersion& version) {
  return version.number == 1 ? uint32() : uint64();
}

std::vector<DirectoryArray> directory_arrays(const StoredVersion& version) {
  std::vector<DirectoryArray> stored;
  for (const NumberArray& array : entry_arrays(version)) add_stored(array, version.number, stored);
  stored.push_back({pointer_name(version), pointer_type(version)});
  if (version.fragments) {
    stored.push_back({"end_max", uint32()});
    stored.push_back({"cell_names", text_type()});
    stored.push_back({"chr_names", text_type()});
  } else {
    stored.push_back({"shape", uint32()});
    stored.push_back({"row_names", text_type()});
    stored.push_back({"col_names", text_type()});
    stored.push_back({"storage_order", text_type()});
  }
  return stored;
}

}  // namespace plainfs::bpcells
