#include "fs/commands/whole_folders.h"

#include <map>

#include "formats/core/text/path_names.h"

namespace plainfs {

namespace {

bool is_zarr_document(std::string_view name) {
  return name == ".zarray" || name == ".zgroup" || name == ".zattrs" || name == ".zmetadata" ||
         name == "zarr.json";
}

}  // namespace

WholeFolders::WholeFolders(const std::vector<std::string>& paths, const std::vector<std::string>& failed) {
  std::map<std::string, int, std::less<>> bpcells_files;
  for (const std::string& path : paths) {
    const std::string_view name = last_name(path);
    const std::string folder(path_above(path));
    if (is_zarr_document(name)) zarr_.insert(folder);
    if (name == "version" || name == "storage_order" || name == "idxptr") ++bpcells_files[folder];
  }
  for (const auto& [folder, count] : bpcells_files)
    if (count == 3) bpcells_.insert(folder);
  for (const std::string& path : failed) add_failure(path);
}

std::optional<std::string> WholeFolders::folder_of(std::string_view path) const {
  for (size_t slash = 0; slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string_view folder = path.substr(0, slash);
    if (zarr_.contains(folder) || bpcells_.contains(folder)) return std::string(folder);
  }
  return std::nullopt;
}

bool WholeFolders::is_mark(std::string_view path) const {
  const std::optional<std::string> folder = folder_of(path);
  if (!folder) return false;
  return zarr_.contains(*folder) ? is_zarr_document(last_name(path)) : last_name(path) == "version";
}

void WholeFolders::add_failure(std::string_view path) {
  const std::optional<std::string> folder = folder_of(path);
  if (!folder) return;
  const MutexLock lock(mutex_);
  broken_.insert(*folder);
}

bool WholeFolders::is_broken(std::string_view path) const {
  const std::optional<std::string> folder = folder_of(path);
  const MutexLock lock(mutex_);
  return folder && broken_.contains(*folder);
}

std::vector<std::string> WholeFolders::broken() const {
  const MutexLock lock(mutex_);
  return {broken_.begin(), broken_.end()};
}

}  // namespace plainfs
