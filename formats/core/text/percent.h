// Bytes as they stand in a URL (RFC 3986, section 2.1).
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

// Every byte but A-Z a-z 0-9 - . _ ~, and "/" where slashes are kept, as %XX; UriEncode of AWS's Signature
// Version 4, too.
std::string percent_encoded(std::string_view text, bool keeps_slashes = false);
// "%41" → "A"; a "%" without two hexadecimal digits behind it stays.
std::string percent_decoded(std::string_view text);
// Whether every "%" has two hexadecimal digits behind it.
bool is_percent_encoded(std::string_view text);

}  // namespace plainfs
