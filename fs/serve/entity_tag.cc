#include "fs/serve/entity_tag.h"

#include <fmt/format.h>

#include "formats/core/text/trimmed.h"
#include "fs/serve/field_text.h"

namespace plainfs::serve {

std::string EntityTags::of(size_t store, uint64_t opening, uint64_t inode) const {
  return fmt::format("\"{}-{:x}-{:x}-{:x}\"", run_, store, opening, inode);
}

// Tags of plainfs have no comma. A weak one may be listed that began as one of ours (a proxy compresses).
bool lists_tag(std::string_view field, std::string_view tag) {
  if (trimmed(field) == "*") return true;
  for (std::string_view item : list_items(field)) {
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == tag) return true;
  }
  return false;
}

bool allows_parts(std::string_view if_range, std::string_view tag) {
  return if_range.empty() || trimmed(if_range) == tag;
}

}  // namespace plainfs::serve
