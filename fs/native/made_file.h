// A file whose content is short and takes long to make: made when it is first asked for, and kept.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fs/text/view_file.h"

namespace plainfs {

// make is called once, or again where it threw.
std::shared_ptr<ViewFile> made_file(std::function<std::string()> make);

}  // namespace plainfs
