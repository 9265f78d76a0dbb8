// What stands at a path of the host, told from what could not be found out: a disk that fails and a path that
// is not there are two things.
#pragma once

#include <boost/filesystem.hpp>
#include <string>

namespace plainfs {

// Whether errno says that nothing is there, not that it cannot be seen.
bool is_absence(int error);

// Links are followed; what they lead to may be absent. All of these throw unreadable where the system does
// not let it be seen.
bool is_file_on_host(const std::string& path);
bool is_folder_on_host(const std::string& path);
// Whether both are there and one.
bool is_same_on_host(const std::string& a, const std::string& b);

// The entries of a folder. Waits, for ten seconds at most, while no descriptor is left.
boost::filesystem::directory_iterator open_folder(const boost::filesystem::path& path,
                                                  boost::system::error_code& error);

}  // namespace plainfs
