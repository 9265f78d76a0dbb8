// Opens the store at a path or URL. Any other folder is opened as a mirror of the stores in it.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs {

// Opens the store at path with the first container that recognises it, or, if path is a local folder, as a
// mirror. Throws not_found, unreadable, unknown_format, and what the container throws.
Store open_store(const std::string& path, Context& context);

// Returns whether the first bytes of the store at path guarantee that it can be opened. See
// Container::is_sure_to_open.
bool is_sure_to_open(const std::string& path, Context& context);

// Returns the path that an opened store has: absolute, with the links of its folder resolved and its name as
// given.
std::string location_of_store(const std::string& path);

}  // namespace plainfs
