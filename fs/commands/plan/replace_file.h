// A small file that is replaced atomically: a reader sees the old content or the whole new one.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/base/descriptor.h"

namespace plainfs {

// Replaces the content of the file `name` in `folder`, also while processes on other machines do so. A
// symbolic link of that name is replaced, and none is followed. Returns when the data are on disk. Returns
// false, with errno, if the system refuses; the file is unchanged then.
bool replace_file(const Descriptor& folder, const std::string& name, std::string_view text);
// Returns the temporary name that this process uses. Other programs can predict it.
std::string unfinished_name(const std::string& name);

}  // namespace plainfs
