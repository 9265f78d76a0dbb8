// Opening a path of which no component may be a link, so that somebody who exchanges a folder for a link
// while it is opened leads nowhere else. By one call where the system has it (Linux 5.6, macOS), else folder
// by folder, each looked up in the one before it, which is held open.
#pragma once

#include <string>

namespace plainfs {

// As open(2), closed on exec, but -1 with ELOOP where path, or a folder on the way, is a link. Requires: an
// absolute path. Thread-safe.
int open_without_links(const std::string& path, int flags);

}  // namespace plainfs
