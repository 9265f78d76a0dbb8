// Text of others as people may see it: what a store calls its members, and messages with such names, can move
// the cursor of a terminal, change its title, or feign other lines.
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

// The text with its control characters (C0, DEL, C1), those that turn or break lines in Unicode (U+2028,
// U+2029, the marks of direction), and what is no UTF-8 as escapes: \n, \r, \t, the bytes of others in octal,
// "\033". All else, a backslash too, stays, so that to do it twice does no harm.
std::string printable(std::string_view text);

}  // namespace plainfs
