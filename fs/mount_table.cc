#include "fs/mount_table.h"

#include <fstream>
#include <sstream>

namespace plainfs {
namespace {

// Blanks and the like are written as three octal digits.
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
    std::istringstream words(line);
    std::string id, parent, device, root, path, word, type, source;
    words >> id >> parent >> device >> root >> path;
    while (words >> word && word != "-") {
    }
    words >> type >> source;
    all.push_back({plain(path), device, type, plain(source)});
  }
  return all;
}

Mounted what_is_mounted(const std::string& mountpoint) {
  Mounted last;
  for (Mounted& mounted : mount_table())
    if (mounted.path == mountpoint) last = std::move(mounted);
  return last;
}

}  // namespace plainfs
