// Folders that plainfs makes on the machine's disk.
#pragma once

#include <string>

namespace plainfs {

// Make path and what is missing above it. False where that cannot be, and errno says why; true where
// something is there, whatever it is. Throw std::bad_alloc.
bool make_folders(const std::string& path);
// Path itself is for its owner only.
bool make_own_folder(const std::string& path);

}  // namespace plainfs
