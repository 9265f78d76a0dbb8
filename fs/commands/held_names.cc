#include "fs/commands/held_names.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <unordered_set>

#include "formats/core/base/descriptor.h"
#include "fs/command_line/exit_code.h"
#include "fs/views/names.h"

namespace plainfs {
namespace {

bool is_plain(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Returns the same text for all names that some file system treats as equal: ignoring case, and the trailing
// dots and blanks that vfat removes. Requires: name is ASCII. Only the file system itself knows about other
// letters.
std::string plain_form(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  name.resize(name.find_last_not_of(". ") + 1);
  return name;
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
    if (inside_.number() < 0) throw disk_failure();
  }
  ~Trial() {
    for (const std::string& name : made_) ::unlinkat(inside_.number(), name.c_str(), 0);
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
      made_.push_back(name);
      if (!write_all_at(file.number(), 0, name)) throw disk_failure();
      return {};
    }
    if (errno != EEXIST) return {};
    file = Descriptor(::openat(inside_.number(), name.c_str(), O_RDONLY | kFlags));
    std::string other(kLongestName, '\0');
    const std::optional<size_t> size = read_all_at(file.number(), 0, other.data(), other.size());
    if (!size) throw disk_failure();
    other.resize(*size);
    return other;
  }

 private:
  Failure disk_failure() const {
    return Failure(kNotWritten, fmt::format("{}: {}", name_, std::strerror(errno)));
  }

  const Descriptor& folder_;
  std::string name_;
  Descriptor inside_{-1};
  std::vector<std::string> made_;
};

bool tells_all_apart(const Descriptor& folder) {
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

}  // namespace

std::vector<HeldName> held_names(const Descriptor& folder, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (!are_near(names) || tells_all_apart(folder)) return {};
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

}  // namespace plainfs
