// The token in the address of the server. Requests without it are not answered.
#pragma once

#include <functional>
#include <string>

namespace plainfs::serve {

// Returns the token for the option --token. A token of 8 to 128 letters, digits, "-" and "_" is used as it
// is. A path (with a "/") names a file with the token in its first line; if it does not exist, it is created
// with random() for its owner only. "none" returns "". Without a value, returns random(). Throws
// Failure(kUsage) for any other text, and for a file that cannot be read or created.
std::string token_of(const std::string& given, const std::function<std::string()>& random);

}  // namespace plainfs::serve
