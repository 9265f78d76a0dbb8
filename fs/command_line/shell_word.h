// Names in command lines that people paste into a shell.
#pragma once

#include <string>

namespace plainfs {

// Returns the text quoted for a shell unless it is plain, so that nothing in it is executed. A text that
// begins with a dash is prefixed with "./", so that no program takes it for an option.
std::string shell_word(const std::string& text);

}  // namespace plainfs
