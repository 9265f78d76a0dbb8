// Lists of objects in XML, which are simple enough to be read without an XML parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plainfs::remote {

// Finds the text between `open` and `close` from position `at` on, and moves `at` behind `close`. Returns
// false if there is no such text.
bool next_between(const std::string& text, std::string_view open, std::string_view close, size_t& at,
                  std::string& between);
// Returns the text of the first element `name`, or "".
std::string element_text(const std::string& xml, const std::string& name);
// Replaces the five entities of XML.
std::string without_entities(const std::string& text);
// Returns the size of an object in a list. Throws unreadable if it is invalid.
uint64_t size_in_list(const std::string& text);
// Returns the key. Throws unreadable if it is longer than the keys of any service.
std::string checked_key(std::string key);
// Returns the token that continues a list. Throws unreadable if it is too long.
std::string checked_continuation(std::string token);

}  // namespace plainfs::remote
