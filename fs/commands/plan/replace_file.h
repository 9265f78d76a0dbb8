// A small file that is written in one step: a reader sees what was there before or all of the new one.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/base/descriptor.h"

namespace plainfs {

// Gives the file called name in folder the text, also where processes of other machines do so at once; a
// symbolic link of that name is replaced, and none is followed. Returns when the disk holds it. False, with
// errno, where the system refuses; what was there is then as it was.
bool replace_file(const Descriptor& folder, const std::string& name, std::string_view text);
// What it is called before, by this process: others can guess that.
std::string unfinished_name(const std::string& name);

}  // namespace plainfs
