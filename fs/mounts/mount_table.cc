#include "fs/mounts/mount_table.h"

#ifdef __linux__
#include <fstream>
#include <sstream>
#else
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/param.h>

#include <cstdlib>
#include <memory>
#endif

namespace plainfs {

#ifdef __linux__
namespace {

// Decodes blanks and similar characters, which are written as three octal digits.
std::string plain(const std::string& escaped) {
  std::string text;
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '\\' && i + 3 < escaped.size()) {
      text += static_cast<char>(std::stoi(escaped.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      text += escaped[i];
    }
  }
  return text;
}

}  // namespace

std::vector<Mounted> mount_table() {
  std::ifstream mounts("/proc/self/mountinfo");
  std::vector<Mounted> all;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string id, parent, device, root, path, field, type, source;
    fields >> id >> parent >> device >> root >> path;
    while (fields >> field && field != "-") {
    }
    fields >> type >> source;
    all.push_back({plain(path), device, type, plain(source)});
  }
  return all;
}
#else
std::vector<Mounted> mount_table() {
  struct statfs* table = nullptr;
  const int count = ::getmntinfo_r_np(&table, MNT_NOWAIT);  // cached data: no mount is accessed
  const std::unique_ptr<struct statfs, decltype(&std::free)> owner(table, &std::free);
  std::vector<Mounted> all;
  for (int i = 0; i < count; ++i) {
    const struct statfs& one = table[i];
    all.push_back({one.f_mntonname, fmt::format("{}:{}", one.f_fsid.val[0], one.f_fsid.val[1]),
                   one.f_fstypename, one.f_mntfromname});
  }
  return all;
}
#endif

Mounted what_is_mounted(const std::string& mountpoint) {
  Mounted last;
  for (Mounted& mounted : mount_table())
    if (mounted.path == mountpoint) last = std::move(mounted);
  return last;
}

}  // namespace plainfs
