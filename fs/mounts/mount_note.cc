#include "fs/mounts/mount_note.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>

#include "formats/core/base/descriptor.h"
#include "formats/core/text/json_members.h"
#include "formats/core/text/parsed_number.h"

#ifdef __linux__
#include <sys/mman.h>

#include "formats/core/base/open_folder.h"
#elif defined(__APPLE__)
#include <libproc.h>

#include "fs/mounts/mount_table.h"
#endif

namespace plainfs {
namespace {

constexpr char kName[] = "plainfs-mount";
constexpr std::string_view kLink = "/memfd:plainfs-mount";  // as /proc shows it

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  const OpenFolder directory(::opendir(path.c_str()));
  if (!directory) return names;
  while (const dirent* const entry = next_entry(directory)) names.emplace_back(entry->d_name);
  return names;
}

std::optional<FoundMount> mount_of(pid_t process) {
  const std::string folder = fmt::format("/proc/{}/fd", process);
  for (const std::string& name : names_in(folder)) {
    const std::string path = folder + "/" + name;
    char target[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
    if (size < 0 || !std::string_view(target, static_cast<size_t>(size)).starts_with(kLink)) continue;
    const Json note = json_in(path);
    const FoundMount mount{process, optional_text(note, "store"), optional_text(note, "mountpoint")};
    if (!mount.store.empty() && !mount.mountpoint.empty()) return mount;
  }
  return std::nullopt;
}

}  // namespace

MountNote::MountNote(const std::string& store, const std::string& mountpoint) {
#ifdef __linux__
  file_ = ::memfd_create(kName, MFD_CLOEXEC);
  const std::string text = to_json_text(Json::Object{{"store", store}, {"mountpoint", mountpoint}});
  if (file_ < 0 || ::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return;
#else
  static_cast<void>(kName);
  static_cast<void>(store);
  static_cast<void>(mountpoint);
#endif
}

MountNote::~MountNote() {
  if (file_ >= 0) ::close(file_);
}

std::vector<FoundMount> found_mounts() {
  std::vector<FoundMount> found;
#ifdef __APPLE__  // processes do not show their open files: ask the mounts
  for (const Mounted& mounted : mount_table()) {
    if (!is_of_fuse(mounted)) continue;
    const std::optional<uint64_t> process = count_in(json_in(mounted.path + "/.plainfs/info.json"), "pid");
    if (!process || !is_plainfs(static_cast<pid_t>(*process))) continue;
    found.push_back({static_cast<pid_t>(*process), mounted.source, mounted.path});
  }
#endif
  for (const std::string& name : names_in("/proc")) {
    const std::optional<pid_t> process = parsed_number<pid_t>(name);
    if (!process || !is_plainfs(*process)) continue;
    if (std::optional<FoundMount> one = mount_of(*process)) found.push_back(*std::move(one));
  }
  std::sort(found.begin(), found.end(),
            [](const FoundMount& a, const FoundMount& b) { return a.process < b.process; });
  return found;
}

Json json_in(const std::string& path) try {
  return parse_json(file_content(path).value_or(""));
} catch (const Error&) {
  return {};
}

std::optional<uint64_t> count_in(const Json& object, std::string_view name) {
  const Json* const member = object.find(name);
  return member ? member->as_uint64() : std::nullopt;
}

bool is_plainfs(pid_t process) {
#ifdef __linux__
  std::ifstream file(fmt::format("/proc/{}/comm", process));
  std::string name;
  std::getline(file, name);
  return name == "plainfs" || name == "mount.plainfs" ||
         std::string_view("mount.fuse.plainfs").substr(0, 15) == name;
#elif defined(__APPLE__)
  char name[PROC_PIDPATHINFO_MAXSIZE] = "";
  ::proc_name(process, name, sizeof name);
  return std::string_view(name) == "plainfs" || std::string_view(name) == "mount_plainfs";
#else
  return process > 1;
#endif
}

}  // namespace plainfs
