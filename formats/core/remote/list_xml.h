// Lists of objects in XML, which are flat enough to be read without a parser of XML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plainfs::remote {

// Finds the text between open and close from at on; at is then behind close. Returns false if there is none.
bool next_between(const std::string& text, std::string_view open, std::string_view close, size_t& at,
                  std::string& between);
// Returns the text of the first element of that name, "" if there is none.
std::string element_text(const std::string& xml, const std::string& name);
// Replaces the five entities of XML.
std::string without_entities(const std::string& text);
// Returns the size that an object has in a list. Throws unreadable if it is invalid.
uint64_t size_in_list(const std::string& text);
// Throws unreadable if no service has a key as long as that.
std::string checked_key(std::string key);
// Throws unreadable if a token that continues a list is too long to be one.
std::string checked_continuation(std::string token);

}  // namespace plainfs::remote
