#include "fs/commands/target_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <utility>

#include "formats/core/base/host_path.h"
#include "formats/core/base/modified_time.h"
#include "fs/commands/held_names.h"

namespace plainfs {
namespace {

Failure disk_failure(const std::string& path) {
  return Failure(kNotWritten, fmt::format("{}: {}", path, std::strerror(errno)));
}

Descriptor open_root(const std::string& path) {
  if (!make_folders(path)) throw disk_failure(path);
  Descriptor root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.number() < 0) throw disk_failure(path);
  return root;
}

// Opens the directory `name` in `folder`, or creates it. whole: its path, for messages.
Descriptor enter(const Descriptor& folder, const std::string& name, const std::string& whole) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int number = ::openat(folder.number(), name.c_str(), kFlags);
  if (number < 0 && errno == ENOENT) {
    if (::mkdirat(folder.number(), name.c_str(), 0777) != 0 && errno != EEXIST) throw disk_failure(whole);
    number = ::openat(folder.number(), name.c_str(), kFlags);
  }
  if (number < 0 && (errno == ELOOP || errno == ENOTDIR))
    throw InTheWay(fmt::format("{}: not a directory, or a symbolic link to one", whole));
  if (number < 0) throw disk_failure(whole);
  return Descriptor(number);
}

}  // namespace

std::string last_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

TargetFolder::TargetFolder(const std::string& path) : path_(path), root_(open_root(path)) {}

Descriptor TargetFolder::make_folder(const std::string& path) const {
  Descriptor folder(::fcntl(root_.number(), F_DUPFD_CLOEXEC, 0));
  if (folder.number() < 0) throw disk_failure(path_);
  for (size_t first = 0; first < path.size();) {
    const size_t end = std::min(path.find('/', first), path.size());
    folder = enter(folder, name_of(path.substr(0, end)), whole(path.substr(0, end)));
    first = end + 1;
  }
  return folder;
}

Descriptor TargetFolder::folder_if_there(const std::string& path) const {
  Descriptor folder(::fcntl(root_.number(), F_DUPFD_CLOEXEC, 0));
  if (folder.number() < 0) throw disk_failure(path_);
  for (size_t first = 0; first < path.size() && folder.number() >= 0;) {
    const size_t end = std::min(path.find('/', first), path.size());
    folder = Descriptor(::openat(folder.number(), name_of(path.substr(0, end)).c_str(),
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    first = end + 1;
  }
  return folder;
}

Descriptor TargetFolder::folder_of(const std::string& path) const {
  const size_t slash = path.rfind('/');
  return make_folder(slash == std::string::npos ? "" : path.substr(0, slash));
}

std::string TargetFolder::name_of(const std::string& path) const {
  const auto renamed = renamed_.find(path);
  return renamed == renamed_.end() ? last_name(path) : renamed->second;
}

// Returns the directory at `path`, or the nearest existing parent.
Descriptor TargetFolder::nearest_folder(const std::string& path) const {
  for (std::string at = path;; at.resize(at.rfind('/'))) {
    Descriptor folder = folder_if_there(at);
    if (folder.number() >= 0) return folder;
    if (at.find('/') == std::string::npos) return folder_if_there("");
  }
}

std::vector<std::string> TargetFolder::keep_apart(const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<std::string>> names;  // by folder, parents first
  for (const std::string& path : paths)
    if (!path.empty()) names[path.substr(0, path.size() - last_name(path).size())].push_back(last_name(path));
  std::vector<std::string> lines;
  for (auto& [place, inside] : names) {
    const std::string folder = place.substr(0, place.size() - (place.empty() ? 0 : 1));
    for (const HeldName& held : held_names(nearest_folder(folder), std::move(inside))) {
      renamed_[place + held.name] = held.instead;
      lines.push_back(fmt::format("{}: written as {}, because its name and {} are the same in that folder",
                                  place + held.name, held.instead, held.other));
    }
  }
  return lines;
}

// Returns the text of a link at `path` with the names on disk.
std::string TargetFolder::text_there(const std::string& path, const std::string& text) const {
  if (renamed_.empty() || text.starts_with('/')) return text;
  std::string at = path.substr(0, path.size() - std::min(path.size(), last_name(path).size() + 1)), there;
  for (size_t first = 0; first <= text.size();) {
    const size_t end = std::min(text.find('/', first), text.size());
    std::string name = text.substr(first, end - first);
    if (name == "..") {
      at.resize(at.find('/') == std::string::npos ? 0 : at.rfind('/'));
    } else if (!name.empty() && name != ".") {
      at += at.empty() ? name : "/" + name;
      name = name_of(at);
    }
    there += name + (end < text.size() ? "/" : "");
    first = end + 1;
  }
  return there;
}

void TargetFolder::make_link(const std::string& path, const std::string& as_shown) const {
  const Descriptor folder = folder_of(path);
  const std::string name = name_of(path), text = text_there(path, as_shown);
  if (::symlinkat(text.c_str(), folder.number(), name.c_str()) == 0) return;
  if (errno != EEXIST) throw disk_failure(whole(path));
  std::string found(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(folder.number(), name.c_str(), found.data(), found.size());
  if (size >= 0 && found.substr(0, static_cast<size_t>(size)) == text)
    return;  // written by an earlier run, or just now by another part
  throw InTheWay(fmt::format("{}: already exists and is not this link", whole(path)));
}

void TargetFolder::remove_file(const std::string& path) const {
  const size_t slash = path.rfind('/');
  const Descriptor folder = folder_if_there(slash == std::string::npos ? "" : path.substr(0, slash));
  struct stat there {};
  const std::string name = name_of(path);
  if (folder.number() < 0 || ::fstatat(folder.number(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(there.st_mode))
    return;
  if (::unlinkat(folder.number(), name.c_str(), 0) != 0 && errno != ENOENT) throw disk_failure(whole(path));
}

bool TargetFolder::has_file(const std::string& path, uint64_t size, timespec modified) const {
  const size_t slash = path.rfind('/');
  const Descriptor folder = folder_if_there(slash == std::string::npos ? "" : path.substr(0, slash));
  struct stat there {};
  if (folder.number() < 0) return false;
  if (::fstatat(folder.number(), name_of(path).c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(there.st_mode))
    return false;
  const timespec found = modified_time(there);
  return static_cast<uint64_t>(there.st_size) == size && found.tv_sec == modified.tv_sec &&
         found.tv_nsec == modified.tv_nsec;
}

}  // namespace plainfs
