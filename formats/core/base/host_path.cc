#include "formats/core/base/host_path.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <system_error>

#include "cache/request.h"
#include "formats/core/base/error.h"

namespace plainfs {

namespace {

// Returns nullopt if nothing exists at the path.
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

bool is_folder_on_host(const std::string& path) {
  const auto status = status_of(path);
  return status && S_ISDIR(status->st_mode);
}

bool is_same_on_host(const std::string& a, const std::string& b) {
  const auto first = status_of(a);
  const auto second = first ? status_of(b) : std::nullopt;
  return second && first->st_dev == second->st_dev && first->st_ino == second->st_ino;
}

std::string why_absent(const std::string& path) {
  boost::system::error_code error;
  const std::string target = boost::filesystem::read_symlink(path, error).string();
  if (error) return "no such file or directory";
  if (target.find(".git/annex/objects/") != target.npos)
    return "the content of this git-annex file is not here; run git annex get, or datalad get";
  return fmt::format("a link to {}, which does not exist", target);
}

boost::filesystem::path real_path(const boost::filesystem::path& path, boost::system::error_code& error) {
  error.clear();
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (real) return real.get();
  error.assign(errno, boost::system::system_category());
  return {};
}

boost::filesystem::path weakly_real_path(const boost::filesystem::path& path,
                                         boost::system::error_code& error) {
  boost::filesystem::path existing = boost::filesystem::absolute(path), rest;
  for (;;) {
    const boost::filesystem::path real = real_path(existing, error);
    if (!error) return rest.empty() ? real : (real / rest).lexically_normal();
    if ((error.value() != ENOENT && error.value() != ENOTDIR) || !existing.has_parent_path()) return {};
    rest = rest.empty() ? existing.filename() : existing.filename() / rest;
    existing = existing.parent_path();
  }
}

std::optional<std::string> path_below(std::string_view path, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (!path.starts_with(folder) || path.size() <= folder.size() || path[folder.size()] != '/')
    return std::nullopt;
  const std::string_view below = path.substr(folder.size() + 1);
  if (below.empty() || below == "." || below == ".." || below.starts_with("../")) return std::nullopt;
  return std::string(below);
}

boost::filesystem::directory_iterator open_folder(const boost::filesystem::path& path,
                                                  boost::system::error_code& error) {
  constexpr timespec kPause{0, 2'000'000};
  constexpr int kMaxTries = 5'000;
  for (int tries = 0;; ++tries) {
    boost::filesystem::directory_iterator entries(path, error);
    const bool is_none_left = error == boost::system::errc::too_many_files_open ||
                              error == boost::system::errc::too_many_files_open_in_system;
    if (!is_none_left || tries == kMaxTries) return entries;
    check_cancelled();
    ::nanosleep(&kPause, nullptr);
  }
}

namespace {

// Boost's create_directories ends the program if memory is exhausted.
bool make(std::string path, mode_t mode) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  int reason = 0;  // why the first of the parents could not be created
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    if (::mkdir(path.substr(0, end).c_str(), 0777) != 0 && errno != EEXIST && reason == 0) reason = errno;
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return true;
  if (reason != 0) errno = reason;
  return false;
}

}  // namespace

bool make_folders(const std::string& path) {
  return make(path, 0777);
}

bool make_own_folder(const std::string& path) {
  return make(path, 0700);
}

}  // namespace plainfs
