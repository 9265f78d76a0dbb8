// The grammar that HTTP fields share: lists separated by commas, and secrets.
#pragma once

#include <string_view>
#include <vector>

namespace plainfs::serve {

// Returns the items between commas, trimmed. Empty items are omitted.
std::vector<std::string_view> list_items(std::string_view text);
// Returns whether the texts are equal, in a time that does not depend on where they differ.
bool is_same_secret(std::string_view given, std::string_view secret);

}  // namespace plainfs::serve
