// The word in the address of the server, without which nothing is answered.
#pragma once

#include <functional>
#include <string>

namespace plainfs::serve {

// Returns the word that --token asks for: given itself, of 8 to 128 letters, digits, "-" and "_"; for a path
// (with a "/") the first line of that file, which is made with random() in it, for its owner alone, if there
// is none; "" for "none"; random() if nothing is given. Throws Failure(kUsage) for any other word, and for a
// file that cannot be read or made.
std::string token_of(const std::string& given, const std::function<std::string()>& random);

}  // namespace plainfs::serve
