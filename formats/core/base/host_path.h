// What stands at a path of the host, told from what could not be found out: a disk that fails and a path that
// is not there are two things.
#pragma once

#include <boost/filesystem.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace plainfs {

// Whether errno says that nothing is there, not that it cannot be seen.
bool is_absence(int error);

// Links are followed; what they lead to may be absent. All of these throw unreadable where the system does
// not let it be seen.
bool is_folder_on_host(const std::string& path);
// Whether both are there and one.
bool is_same_on_host(const std::string& a, const std::string& b);

// As boost::filesystem::canonical and weakly_canonical. Those compare paths, for which they allocate in a
// function that may not throw: without memory the program would end there. For the same reason no paths are
// compared with == here and elsewhere, but their texts.
boost::filesystem::path real_path(const boost::filesystem::path& path, boost::system::error_code& error);
boost::filesystem::path real_path_as_far_as_there(const boost::filesystem::path& path,
                                                  boost::system::error_code& error);

// What is left of path below folder, "b/c" of "/a/b/c" below "/a"; nullopt where it is not below. By the
// names alone, of absolute paths.
std::optional<std::string> path_below(std::string_view path, std::string_view folder);

// The entries of a folder. Waits, for ten seconds at most, while no descriptor is left.
boost::filesystem::directory_iterator open_folder(const boost::filesystem::path& path,
                                                  boost::system::error_code& error);

// Folders that plainfs makes on the machine's disk.

// Make path and what is missing above it. False where that cannot be, and errno says why; true where
// something is there, whatever it is. Throw std::bad_alloc.
bool make_folders(const std::string& path);
// Path itself is for its owner only.
bool make_own_folder(const std::string& path);

}  // namespace plainfs
