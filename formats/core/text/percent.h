// Percent-encoding of bytes in a URL (RFC 3986, section 2.1).
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

// Encodes every byte except A-Z a-z 0-9 - . _ ~ (and "/" if keeps_slashes) as %XX, like UriEncode of AWS's
// Signature Version 4.
std::string percent_encoded(std::string_view text, bool keeps_slashes = false);
// Decodes "%41" to "A". A "%" without two hexadecimal digits after it is kept.
std::string percent_decoded(std::string_view text);
// Returns whether two hexadecimal digits follow every "%".
bool is_percent_encoded(std::string_view text);

}  // namespace plainfs
