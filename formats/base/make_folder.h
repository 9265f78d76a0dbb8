// Folders that plainfs makes on the machine's disk.
#pragma once

#include <string>

namespace plainfs {

// Makes path and what is missing above it. Where that cannot be, opening it tells why. Throws std::bad_alloc.
void make_folders(const std::string& path);
// The same, path itself for its owner only. False where it cannot be made, and errno says why.
bool make_own_folder(const std::string& path);

}  // namespace plainfs
