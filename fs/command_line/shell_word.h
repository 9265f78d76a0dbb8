// Names in the lines that people paste into a shell.
#pragma once

#include <string>

namespace plainfs {

// The text as a shell reads it back: quoted, unless it is plain, so that nothing in it is run. One that
// begins with a dash gets "./" before it, so that no program takes it for an option.
std::string shell_word(const std::string& text);

}  // namespace plainfs
