#include "formats/core/base/make_folder.h"

#include <sys/stat.h>

#include <cerrno>

namespace plainfs {
namespace {

// Boost's create_directories ends the program where there is no memory.
bool make(std::string path, mode_t mode) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  int reason = 0;  // why the first of those above could not be made
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
