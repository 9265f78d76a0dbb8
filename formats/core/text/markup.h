// Texts in HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

// The characters that may stand for markup in element content, and in values in double quotes.
inline constexpr std::string_view kMarkup = "&<>\"";

// Appends a character, as a reference if it is one of `which`. Requires: which is part of kMarkup.
void append_markup(char c, std::string_view which, std::string& out);
// Returns text with all of kMarkup as references.
std::string escaped(std::string_view text);

}  // namespace plainfs
