// Compares one case of tests/data with Filesystem.
#pragma once

#include <boost/filesystem/path.hpp>
#include <string>
#include <vector>

namespace plainfs::golden {

// Returns the problems of the case in `folder`, one per line. Each names its section of fs/VIEWS.md. The case
// is complete: an unexpected listed file is a problem too.
std::vector<std::string> problems_of(const boost::filesystem::path& folder);

}  // namespace plainfs::golden
