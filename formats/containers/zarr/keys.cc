#include "formats/containers/zarr/keys.h"

#include <algorithm>

namespace plainfs::zarr {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// Returns whether text is an index in the spelling of a key: digits without leading zeros.
bool is_index(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
         (text.size() == 1 || text[0] != '0');
}

// Returns the number of indices in text, which dots separate, 0 if it has anything else.
size_t indices_in(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at <= text.size();) {
    const size_t dot = std::min(text.find('.', at), text.size());
    if (!is_index(text.substr(at, dot - at))) return 0;
    ++count;
    at = dot + 1;
  }
  return count;
}

}  // namespace

std::string key_of(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder).append("/").append(name);
}

bool is_hidden(std::string_view name) {
  return name.starts_with('.') || name == "__MACOSX";
}

bool is_document(std::string_view name) {
  return name.starts_with(".z") || name == kV3;
}

bool looks_like_chunk(std::string_view name) {
  if (name.starts_with('c')) name.remove_prefix(1);
  const auto is_part = [](char letter) {
    return is_digit(letter) || letter == '.' || letter == '_' || letter == '-';
  };
  return !name.empty() && is_digit(name.back()) && std::all_of(name.begin(), name.end(), is_part);
}

std::string ChunkKeys::key(std::span<const uint64_t> chunk) const {
  if (chunk.empty()) return leading_c ? "c" : "0";
  std::string key = leading_c ? "c" : "";
  for (const uint64_t index : chunk) {
    if (!key.empty()) key += separator;
    key += std::to_string(index);
  }
  return key;
}

bool ChunkKeys::may_be(const Entry& entry, size_t rank) const {
  const bool is_folder = entry.kind == EntryKind::folder;
  const size_t parts = rank + (leading_c ? 1 : 0);
  if (separator == '/' && parts > 1)
    return is_folder && (leading_c ? entry.name == "c" : is_index(entry.name));
  std::string_view name = entry.name;
  if (is_folder || (leading_c && !name.starts_with('c'))) return false;
  if (rank == 0) return name == (leading_c ? "c" : "0");
  if (leading_c && !name.starts_with("c.")) return false;
  return indices_in(name.substr(leading_c ? 2 : 0)) == rank;
}

std::vector<ChunkKeys> ChunkKeys::others() const {
  const char swapped = separator == '.' ? '/' : '.';
  return {{leading_c, swapped}, {!leading_c, separator}, {!leading_c, swapped}};
}

}  // namespace plainfs::zarr
