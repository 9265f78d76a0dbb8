// The small grammar that fields of HTTP share: words, and lists with commas.
#pragma once

#include <string_view>
#include <vector>

namespace plainfs::serve {

// Whether they differ in the case of ASCII letters only.
bool is_same_word(std::string_view a, std::string_view b);
// What stands between commas, trimmed; what is empty is left out.
std::vector<std::string_view> list_items(std::string_view text);
// Whether they are the same, in a time that tells nothing of where they differ.
bool is_same_secret(std::string_view given, std::string_view secret);

}  // namespace plainfs::serve
