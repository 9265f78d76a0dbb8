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
#include <optional>
#include <random>
#include <unordered_set>
#include <utility>

#include "formats/core/base/host_path.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/path_names.h"
#include "fs/views/names.h"

namespace plainfs {
namespace {

// Names that a file system treats as the same. To APFS, vfat, exFAT or a Windows share, "A.csv" and "a.csv"
// are one file; to some, "é" as one character and as two are the same letter. Writing both files would lose
// the first.

// A name that is not written because the file system treats it as another one.
struct HeldName {
  std::string name;
  std::string other;    // the name in its place
  std::string instead;  // the name to use, marked like names that are too long (fs/views/names.h)
};

bool is_plain(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Returns the same text for all names that some file system treats as equal: ignoring case, and the trailing
// dots and blanks that vfat removes. Requires: name is ASCII. Only the file system itself knows about other
// letters.
std::string plain_form(std::string_view name) {
  return lower_case(name.substr(0, name.find_last_not_of(". ") + 1));
}

bool are_near(const std::vector<std::string>& names) {
  std::unordered_set<std::string> forms;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return !is_plain(name) || !forms.insert(plain_form(name)).second;
  });
}

// A temporary directory in `folder` with small files that contain the name each was created with: not every
// file system has inodes to distinguish them.
class Trial {
 public:
  explicit Trial(const Descriptor& folder) : folder_(folder) {
    std::random_device random;
    do {
      name_ = fmt::format(".plainfs-names-{:08x}{:08x}", random(), random());
    } while (::mkdirat(folder_.number(), name_.c_str(), 0700) != 0 && errno == EEXIST);
    inside_ = Descriptor(
        ::openat(folder_.number(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inside_.number() < 0) throw disk_failure(name_);
  }
  ~Trial() {
    for (const std::string& name : generated_) ::unlinkat(inside_.number(), name.c_str(), 0);
    ::unlinkat(folder_.number(), name_.c_str(), AT_REMOVEDIR);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Returns the name that is in its place, or empty if it was free. A name that is invalid there is reported
  // when its file is written.
  std::string taken_by(const std::string& name) {
    constexpr int kFlags = O_NOFOLLOW | O_CLOEXEC;
    Descriptor file(::openat(inside_.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | kFlags, 0600));
    if (file.number() >= 0) {
      generated_.push_back(name);
      if (!write_all_at(file.number(), 0, name)) throw disk_failure(name_);
      return {};
    }
    if (errno != EEXIST) return {};
    file = Descriptor(::openat(inside_.number(), name.c_str(), O_RDONLY | kFlags));
    std::string other(kLongestName, '\0');
    const std::optional<size_t> size = read_all_at(file.number(), 0, other.data(), other.size());
    if (!size) throw disk_failure(name_);
    other.resize(*size);
    return other;
  }

 private:
  const Descriptor& folder_;
  std::string name_;
  Descriptor inside_{-1};
  std::vector<std::string> generated_;
};

bool distinguishes_all_names(const Descriptor& folder) {
  Trial trial(folder);
  trial.taken_by("a");
  trial.taken_by("\u00e9");
  return trial.taken_by("A").empty() && trial.taken_by("e\u0301").empty();
}

std::string marked(const std::string& name) {
  constexpr size_t kLongestExtension = 64;
  const size_t dot = name.rfind('.');
  const bool has_extension =
      dot != std::string::npos && dot > 0 && dot + 1 < name.size() && name.size() - dot <= kLongestExtension;
  const size_t end = has_extension ? dot : name.size();
  return marked_name(name.substr(0, end), name.substr(end));
}

// Returns the names (duplicates allowed), taken in byte order, that are equivalent to an earlier one in that
// directory or in directories created in it. If names are similar enough, tests the file system itself in a
// temporary directory there, which is removed afterwards. Each run of an export comes to the same result.
// Throws Failure(kNotWritten) if the disk refuses or no other name can be found.
std::vector<HeldName> held_names(const Descriptor& folder, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (!are_near(names) || distinguishes_all_names(folder)) return {};
  std::vector<HeldName> held;
  Trial trial(folder);
  for (const std::string& name : names)
    if (std::string other = trial.taken_by(name); !other.empty())
      held.push_back({name, std::move(other), marked(name)});
  for (const HeldName& one : held)
    if (const std::string other = trial.taken_by(one.instead); !other.empty())
      throw Failure(kNotWritten,
                    fmt::format("{}: it and {} cannot be distinguished from other names in that folder",
                                one.name, one.instead));
  return held;
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
    throw NameTaken(fmt::format("{}: not a directory, or a symbolic link to one", whole));
  if (number < 0) throw disk_failure(whole);
  return Descriptor(number);
}

}  // namespace

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

Descriptor TargetFolder::existing_folder(const std::string& path) const {
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
  return make_folder(std::string(path_above(path)));
}

std::string TargetFolder::name_of(const std::string& path) const {
  const auto renamed = renamed_.find(path);
  return renamed == renamed_.end() ? std::string(last_name(path)) : renamed->second;
}

// Returns the directory at `path`, or the nearest existing parent.
Descriptor TargetFolder::nearest_folder(const std::string& path) const {
  for (std::string at = path;; at.resize(at.rfind('/'))) {
    Descriptor folder = existing_folder(at);
    if (folder.number() >= 0) return folder;
    if (at.find('/') == std::string::npos) return existing_folder("");
  }
}

std::vector<std::string> TargetFolder::keep_apart(const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<std::string>> names;  // by folder, parents first
  for (const std::string& path : paths)
    if (!path.empty())
      names[path.substr(0, path.size() - last_name(path).size())].emplace_back(last_name(path));
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
std::string TargetFolder::text_on_disk(const std::string& path, const std::string& text) const {
  if (renamed_.empty() || text.starts_with('/')) return text;
  std::string at = path.substr(0, path.size() - std::min(path.size(), last_name(path).size() + 1)), on_disk;
  for (size_t first = 0; first <= text.size();) {
    const size_t end = std::min(text.find('/', first), text.size());
    std::string name = text.substr(first, end - first);
    if (name == "..") {
      at.resize(at.find('/') == std::string::npos ? 0 : at.rfind('/'));
    } else if (!name.empty() && name != ".") {
      at += at.empty() ? name : "/" + name;
      name = name_of(at);
    }
    on_disk += name + (end < text.size() ? "/" : "");
    first = end + 1;
  }
  return on_disk;
}

void TargetFolder::make_link(const std::string& path, const std::string& as_shown) const {
  const Descriptor folder = folder_of(path);
  const std::string name = name_of(path), text = text_on_disk(path, as_shown);
  if (::symlinkat(text.c_str(), folder.number(), name.c_str()) == 0) return;
  if (errno != EEXIST) throw disk_failure(whole(path));
  std::string found(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(folder.number(), name.c_str(), found.data(), found.size());
  if (size >= 0 && found.substr(0, static_cast<size_t>(size)) == text)
    return;  // written by an earlier run, or just now by another part
  throw NameTaken(fmt::format("{}: already exists and is not this link", whole(path)));
}

void TargetFolder::remove_file(const std::string& path) const {
  const Descriptor folder = existing_folder(std::string(path_above(path)));
  struct stat existing {};
  const std::string name = name_of(path);
  if (folder.number() < 0 || ::fstatat(folder.number(), name.c_str(), &existing, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(existing.st_mode))
    return;
  if (::unlinkat(folder.number(), name.c_str(), 0) != 0 && errno != ENOENT) throw disk_failure(whole(path));
}

bool TargetFolder::has_file(const std::string& path, std::optional<uint64_t> size, timespec modified) const {
  const Descriptor folder = existing_folder(std::string(path_above(path)));
  struct stat existing {};
  if (folder.number() < 0) return false;
  if (::fstatat(folder.number(), name_of(path).c_str(), &existing, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(existing.st_mode))
    return false;
  return (!size || static_cast<uint64_t>(existing.st_size) == *size) &&
         is_same_time(modified_time(existing), modified);
}

}  // namespace plainfs
