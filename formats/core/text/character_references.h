// Character references, which 10x and loom files use for characters outside ASCII: &#181; and &#xB5; are µ.
// Their writers (Python's xmlcharrefreplace, Cell Ranger's encode_ascii_xml) escape nothing else, not even
// "&".
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

// Appends `text` with &#N; and &#xN; for N >= 128 replaced by the UTF-8 of that character. Other references
// (&amp; too), and numbers of no character, stay unchanged.
void append_with_references_decoded(std::string_view text, std::string& out);

}  // namespace plainfs
