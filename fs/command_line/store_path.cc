#include "fs/command_line/store_path.h"

#include <unistd.h>

#include <boost/filesystem.hpp>

#include "formats/core/base/host_path.h"
#include "formats/core/base/location.h"
#include "formats/wrapped/wrapping.h"
#include "fs/command_line/exit_code.h"

namespace plainfs {
namespace {

bool exists(const std::string& path) {
  boost::system::error_code error;
  const auto status = boost::filesystem::status(path, error);
  return status.type() != boost::filesystem::file_not_found &&
         status.type() != boost::filesystem::status_error;
}

}  // namespace

void split_store_path(std::vector<std::string>& names) {
  if (names.empty() || exists(names[0])) return;
  const std::string given = names[0];
  if (given.find("://") != std::string::npos) return;
  for (size_t slash = given.rfind('/'); slash != std::string::npos && slash > 0;
       slash = given.rfind('/', slash - 1)) {
    if (!exists(given.substr(0, slash))) continue;
    if (!is_store_on_host(given.substr(0, slash))) return;
    names[0] = given.substr(0, slash);
    names.insert(names.begin() + 1, given.substr(slash + 1));
    return;
  }
}

std::string mount_name(const std::string& store) {
  const boost::filesystem::path path = name_inside(boost::filesystem::path(store).filename().string());
  return path.stem() == path.filename() ? path.filename().string() + ".plain" : path.stem().string();
}

std::string usual_mountpoint(const std::string& store) {
  const boost::filesystem::path folder = boost::filesystem::path(store).parent_path();
  const std::string name = mount_name(store);
  boost::system::error_code error;
  const bool is_here = boost::filesystem::equivalent(folder, ".", error) && !error;
  if (is_url(store) || is_here || ::access(folder.c_str(), W_OK | X_OK) != 0) return name;
  return (folder / name).string();
}

void check_exists(const std::string& path) {
  if (!is_url(path) && !exists(path)) throw Failure(kNotFound, fmt::format("{}: {}", path, why_absent(path)));
}

}  // namespace plainfs
