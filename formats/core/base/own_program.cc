#include "formats/core/base/own_program.h"

#include <fmt/format.h>
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
#include <link.h>
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

// Returns the path of the program that the kernel, or the loader, was given.
std::string started_as() {
  const auto* const path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return path ? files::absolute(path).string() : kSelf;
}

// Returns nullopt if the kernel started the program.
std::optional<OwnProgram> started_by_loader() {
#ifdef __GLIBC__
  if (::getauxval(AT_BASE) != 0) return std::nullopt;  // where the kernel put the loader
  OwnProgram program{started_as()};
  for (const link_map* object = _r_debug.r_map; object; object = object->l_next) {
    const std::string name = object->l_name;
    if (name.find('/') == std::string::npos) continue;  // the program, or the kernel's own
    const files::path path = files::absolute(name);
    const std::string folder = path.parent_path().string();
    if (object->l_addr == _r_debug.r_ldbase)
      program.loader = path.string();
    else if (std::ranges::find(program.library_folders, folder) == program.library_folders.end())
      program.library_folders.push_back(folder);
  }
  if (!program.loader.empty()) return program;
#endif
  return std::nullopt;
}

OwnProgram found_program() {
  if (auto program = started_by_loader()) return std::move(*program);
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
  const bool is_unchanged = file_number(path) == started().file;
  if (!loader.empty()) {
    if (!is_unchanged) throw unreadable("{}: replaced since it was started; start plainfs again", path);
    return {
        loader, "--argv0", "plainfs", "--library-path", fmt::format("{}", fmt::join(library_folders, ":")),
        path};
  }
#ifndef __APPLE__
  // The file itself, if another one has its path now.
  if (!is_unchanged || !started().file) return {::access(kSelf, X_OK) == 0 ? kSelf : path};
#endif
  return {path};
}

const OwnProgram& own_program() {
  return started().program;
}

}  // namespace plainfs
