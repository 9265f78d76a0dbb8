#include "formats/core/base/own_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <optional>
#include <utility>

#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <climits>
#include <cstdlib>
#else
#include <sys/auxv.h>
#endif

#include "formats/core/base/error.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

#ifdef __APPLE__
OwnProgram found_program() {
  char path[PATH_MAX], whole[PATH_MAX];
  uint32_t size = sizeof path;
  return {_NSGetExecutablePath(path, &size) == 0 && ::realpath(path, whole) ? whole : "plainfs"};
}
#else
constexpr const char* kSelf = "/proc/self/exe";

// Returns the path of the program that the kernel was given.
std::string started_as() {
  const auto* const path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return path ? files::absolute(path).string() : kSelf;
}

OwnProgram found_program() {
  boost::system::error_code error;
  const files::path path = files::read_symlink(kSelf, error);
  return {error ? started_as() : path.string()};
}
#endif

using FileNumber = std::pair<dev_t, ino_t>;

std::optional<FileNumber> file_number(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileNumber(status.st_dev, status.st_ino);
}

// The program with the number of its file when it was started.
struct Started {
  OwnProgram program = found_program();
  std::optional<FileNumber> file = file_number(program.path);
};

const Started& started() {
  static const Started program;
  return program;
}

}  // namespace

std::vector<std::string> OwnProgram::command() const {
#ifndef __APPLE__
  // The file itself, if another one has its path now.
  if (!started().file || file_number(path) != started().file)
    return {::access(kSelf, X_OK) == 0 ? kSelf : path};
#endif
  return {path};
}

const OwnProgram& own_program() {
  return started().program;
}

}  // namespace plainfs
