// Opens whatever a path or a URL is: a store of a known format, or a folder as a mirror of the stores in it.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs {

// Opens with the first container that recognises path, else, where it is a folder, as its mirror. Throws
// not_found, unreadable, unknown_format, and what the container throws.
Store open_store(const std::string& path, Context& context);

// Whether the store at path is known to open by its first bytes, as Container::is_sure_to_open has it.
bool is_sure_to_open(const std::string& path, Context& context);

// The path that such a store has: absolute, its folder without links, its name as given.
std::string location_of_store(const std::string& path);

}  // namespace plainfs
