#include "fs/serve/http/field_text.h"

#include <algorithm>
#include <cstddef>

#include "formats/core/text/split.h"
#include "formats/core/text/trimmed.h"

namespace plainfs::serve {

std::vector<std::string_view> list_items(std::string_view text) {
  std::vector<std::string_view> items;
  for (const std::string_view part : split(text, ','))
    if (const std::string_view item = trimmed(part); !item.empty()) items.push_back(item);
  return items;
}

bool is_same_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  unsigned differences = 0;
  for (size_t i = 0; i < given.size(); ++i)
    differences |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i]);
  return differences == 0;
}

}  // namespace plainfs::serve
