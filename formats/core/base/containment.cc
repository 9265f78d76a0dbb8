#include "formats/core/base/containment.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <system_error>

#include "formats/core/base/error.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/open_without_links.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

// The path without any link; nullopt, with errno set, where it cannot be followed.
std::optional<std::string> real_path(const std::string& path) {
  boost::system::error_code error;
  files::path real = plainfs::real_path(files::path(path), error);
  if (!error) return std::move(real).string();
  errno = error.value();
  return std::nullopt;
}

// Throws where the error says no more than that it is not known just now.
void check_is_absence(const std::string& path, int error) {
  if (!is_absence(error)) throw unreadable("{}: {}", path, std::generic_category().message(error));
}

// The same, where of what is not there the names count. Throws what keeps it from being known.
std::optional<std::string> path_as_far_as_there(const std::string& path) {
  if (std::optional<std::string> real = real_path(path)) return real;
  check_is_absence(path, errno);
  if (errno == ELOOP || errno == ENAMETOOLONG) return std::nullopt;
  boost::system::error_code error;
  const files::path partly = real_path_as_far_as_there(path, error);
  if (!error) return partly.string();
  check_is_absence(path, error.value());
  return std::nullopt;
}

// Names alone tell where such a path leads, unless it has links.
bool is_plain(const std::string& path) {
  const std::string padded = path + "/";
  return path.starts_with('/') && padded.find("/../") == std::string::npos;
}

std::string folder_of(const std::string& path) {
  files::path whole = files::absolute(path);
  while (whole.filename_is_dot() && whole.has_parent_path()) whole = whole.parent_path();
  return whole.parent_path().string();
}

}  // namespace

Containment::Containment(const std::vector<std::string>& folders) : is_bounded_(true) {
  for (const std::string& folder : folders) {
    const std::optional<std::string> real = path_as_far_as_there(folder);
    if (real && std::find(folders_.begin(), folders_.end(), *real) == folders_.end())
      folders_.push_back(*real);
  }
}

Containment Containment::of_store(const std::string& path) {
  if (is_folder_on_host(path)) return Containment(std::vector<std::string>{path});
  std::vector<std::string> folders{folder_of(path)};
  if (const auto real = real_path(path))
    folders.push_back(folder_of(*real));
  else
    check_is_absence(path, errno);
  return Containment(folders);
}

Containment Containment::around_store(const std::string& path) {
  return Containment(std::vector<std::string>{folder_of(path)});
}

bool Containment::holds(const std::string& real) const {
  return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
    return folder == "/" || real == folder || (real.starts_with(folder) && real[folder.size()] == '/');
  });
}

int Containment::open(const std::string& path, int flags) const {
  if (!is_bounded_) return ::open(path.c_str(), flags | O_CLOEXEC);
  if (is_plain(path) && holds(path)) {
    const int descriptor = open_without_links(path, flags);
    if (descriptor >= 0 || errno != ELOOP) return descriptor;
  }
  const std::optional<std::string> real = real_path(path);
  if (!real) return -1;
  if (!holds(*real)) {
    errno = EXDEV;
    return -1;
  }
  return open_without_links(*real, flags);
}

bool Containment::contains(const std::string& path) const {
  if (!is_bounded_) return true;
  const auto real = path_as_far_as_there(path);
  return real && holds(*real);
}

void Containment::check(const std::string& path) const {
  if (contains(path)) return;
  throw outside_error(path);
}

Error outside_error(const std::string& path) {
  return unreadable("{}: lies outside of the store's folder (follow_outside would let it be read)", path);
}

}  // namespace plainfs
