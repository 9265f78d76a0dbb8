#include "formats/base/make_folder.h"

#include <sys/stat.h>

#include <cerrno>

namespace plainfs {
namespace {

// What cannot be made, or is there, is passed over.
void make_above(const std::string& path) {
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), 0777);
}

}  // namespace

// Boost's create_directories ends the program where there is no memory.
void make_folders(const std::string& path) {
  make_above(path);
  ::mkdir(path.c_str(), 0777);
}

bool make_own_folder(const std::string& path) {
  std::string own = path;
  while (own.size() > 1 && own.back() == '/') own.pop_back();
  make_above(own);
  return ::mkdir(own.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace plainfs
