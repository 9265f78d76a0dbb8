// Character references as 10x and loom files hold what is not ASCII: &#181; and &#xB5; are µ. Their writers
// (Python's xmlcharrefreplace, Cell Ranger's encode_ascii_xml) escape nothing else, not even "&".
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

// Appends text with &#N; and &#xN; of N >= 128 as the UTF-8 of that character. What is no such reference, or
// of no character, stays as it is, and so does &amp;.
void append_with_references_decoded(std::string_view text, std::string& out);

}  // namespace plainfs
