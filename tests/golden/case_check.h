// Holds one case of tests/data against Filesystem.
#pragma once

#include <boost/filesystem/path.hpp>
#include <string>
#include <vector>

namespace plainfs::golden {

// What is wrong with the case in that folder, a line each; each names the section of fs/VIEWS.md that it
// belongs to. The case is all there is: what is listed and not expected is wrong too.
std::vector<std::string> problems_of(const boost::filesystem::path& folder);

}  // namespace plainfs::golden
