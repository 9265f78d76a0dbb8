#include "formats/base/host_path.h"

#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <optional>
#include <system_error>

#include "cache/request.h"
#include "formats/base/error.h"

namespace plainfs {
namespace {

// nullopt where nothing is there.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (path.find('\0') != std::string::npos) return std::nullopt;
  if (::stat(path.c_str(), &status) == 0) return status;
  if (is_absence(errno)) return std::nullopt;
  throw unreadable("{}: {}", path, std::generic_category().message(errno));
}

}  // namespace

bool is_absence(int error) {
  return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP;
}

bool is_file_on_host(const std::string& path) {
  const auto status = status_of(path);
  return status && S_ISREG(status->st_mode);
}

bool is_folder_on_host(const std::string& path) {
  const auto status = status_of(path);
  return status && S_ISDIR(status->st_mode);
}

bool is_same_on_host(const std::string& a, const std::string& b) {
  const auto first = status_of(a);
  const auto second = first ? status_of(b) : std::nullopt;
  return second && first->st_dev == second->st_dev && first->st_ino == second->st_ino;
}

boost::filesystem::directory_iterator open_folder(const boost::filesystem::path& path,
                                                  boost::system::error_code& error) {
  constexpr timespec kBetweenTries{0, 2'000'000};
  constexpr int kMostTries = 5'000;
  for (int tries = 0;; ++tries) {
    boost::filesystem::directory_iterator entries(path, error);
    const bool is_none_left = error == boost::system::errc::too_many_files_open ||
                              error == boost::system::errc::too_many_files_open_in_system;
    if (!is_none_left || tries == kMostTries) return entries;
    check_cancelled();
    ::nanosleep(&kBetweenTries, nullptr);
  }
}

}  // namespace plainfs
