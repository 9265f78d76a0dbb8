#include "fs/serve/http/field_text.h"

#include <algorithm>
#include <cstddef>

#include "formats/core/text/trimmed.h"

namespace plainfs::serve {

std::vector<std::string_view> list_items(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (const std::string_view item = trimmed(text.substr(0, end)); !item.empty()) items.push_back(item);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
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
