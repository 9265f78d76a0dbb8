#include "fs/serve/entity_tag.h"

#include <fmt/format.h>

#include "formats/core/remote/sha256.h"
#include "formats/core/text/trimmed.h"
#include "fs/serve/field_text.h"

namespace plainfs::serve {

std::string EntityTags::of(size_t store, uint64_t opening, uint64_t inode, std::string_view path) const {
  if (opening == 0 && store < identities_.size() && !identities_[store].empty())
    return fmt::format("\"{}\"",
                       remote::sha256_hex(fmt::format("{}\n{}", identities_[store], path)).substr(0, 32));
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
