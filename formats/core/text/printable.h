// Printable forms of foreign text: the names of a store's members, and messages with such names, could move
// the cursor of a terminal, change its title, or forge other lines.
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

// Returns the text with escapes for control characters (C0, DEL, C1), for characters that change the
// direction or break lines in Unicode (U+2028, U+2029, direction marks), and for invalid UTF-8: \n, \r, \t,
// the bytes of others in octal, "\033". Everything else, a backslash too, is kept, so that applying it twice
// does no harm.
std::string printable(std::string_view text);

}  // namespace plainfs
