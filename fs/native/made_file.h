// A file whose content is short and takes long to make: made when it is first asked for, and kept.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fs/text/view_file.h"

namespace plainfs {

// make is called once, or again where it threw. version: of what it makes, as a Finding is named
// (fs/text/findings.h). In another session only its size is known until it is made.
std::shared_ptr<ViewFile> made_file(std::function<std::string()> make, std::string version = {});

}  // namespace plainfs
