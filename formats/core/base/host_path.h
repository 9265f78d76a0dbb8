// Functions on paths of the host that distinguish a path that does not exist from one that cannot be examined
// (for example because a disk fails).
#pragma once

#include <boost/filesystem.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace plainfs {

// Returns whether the errno `error` means that nothing exists at a path, not that it cannot be examined.
bool is_absence(int error);

// Returns whether `path` is a folder. This and is_same_on_host follow links; the targets may be absent. Both
// throw unreadable if the system denies access.
bool is_folder_on_host(const std::string& path);
// Returns whether both paths exist and are the same file.
bool is_same_on_host(const std::string& a, const std::string& b);

// Returns why nothing can be opened at a path that does not exist: there is nothing, or a link to nothing.
std::string why_absent(const std::string& path);

// Resolve a path like boost::filesystem::canonical and weakly_canonical. Boost's versions compare paths,
// which allocates in a function that must not throw: out of memory would end the program. For the same reason
// no paths are compared with == in plainfs; compare their texts.
boost::filesystem::path real_path(const boost::filesystem::path& path, boost::system::error_code& error);
boost::filesystem::path weakly_real_path(const boost::filesystem::path& path,
                                         boost::system::error_code& error);

// Returns the part of `path` below `folder` ("b/c" for "/a/b/c" below "/a"); nullopt if it is not below.
// Compares names only. Both paths are absolute.
std::optional<std::string> path_below(std::string_view path, std::string_view folder);

// Opens a folder to list its entries. Waits up to ten seconds if no descriptor is left.
boost::filesystem::directory_iterator open_folder(const boost::filesystem::path& path,
                                                  boost::system::error_code& error);

// Folders that plainfs creates on the machine's disk.

// Creates `path` and its missing parents. Returns false, with errno, if that fails; true if anything exists
// at `path`, of whatever kind. Throws std::bad_alloc.
bool make_folders(const std::string& path);
// Creates folders like make_folders, `path` itself with access for its owner only.
bool make_own_folder(const std::string& path);

}  // namespace plainfs
