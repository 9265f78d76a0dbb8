#include "fs/commands/read_sources.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <optional>
#include <set>
#include <utility>

#include "formats/core/base/host_path.h"
#include "formats/core/base/location.h"
#include "fs/command_line/exit_code.h"
#include "fs/commands/target_folder.h"

namespace plainfs {
namespace {

constexpr const char* kZarrNames[] = {".zgroup", ".zarray", ".zmetadata", "zarr.json"};

std::optional<std::pair<dev_t, ino_t>> identity_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

// Returns the identities of the folders that contain `path`, which need not exist.
std::set<std::pair<dev_t, ino_t>> folders_around(const std::string& path) {
  boost::system::error_code error;
  boost::filesystem::path at = weakly_real_path(path, error);
  std::set<std::pair<dev_t, ino_t>> around;
  while (at.has_relative_path()) {
    at = at.parent_path();
    if (const auto identity = identity_at(at.string())) around.insert(*identity);
  }
  return around;
}

bool is_zarr(const std::string& folder) {
  return std::any_of(std::begin(kZarrNames), std::end(kZarrNames),
                     [&](const char* name) { return ::access((folder + "/" + name).c_str(), F_OK) == 0; });
}

}  // namespace

ReadSources::ReadSources(Session& session) : session_(session) {
  const StorePtr store = session.filesystem().store();
  if (store->is_folder) return;
  for (const std::string& place : places_of(*store))
    if (!is_url(place)) stores_.insert(place);
}

void ReadSources::add(Inode inode) {
  Filesystem& filesystem = session_.filesystem();
  const StorePtr top = filesystem.store();
  const std::string store = filesystem.store_path(inode), file = filesystem.source_path(inode);
  if (store != top->path && !is_url(store)) stores_.insert(store);
  if (file != store && !is_url(file)) files_.insert(file);
}

// Returns the stores, and the files that they were read from so far.
std::vector<std::string> ReadSources::all() const {
  std::vector<std::string> sources(stores_.begin(), stores_.end());
  sources.insert(sources.end(), files_.begin(), files_.end());
  for (std::string& used : session_.sources_used())
    if (!used.ends_with('/') && !is_url(used)) sources.push_back(std::move(used));
  return sources;
}

void ReadSources::check(const std::string& path) const {
  const auto existing = identity_at(path);
  const bool is_folder = existing && is_folder_on_host(path);
  for (const std::string& source : existing ? all() : std::vector<std::string>()) {
    if (identity_at(source) == existing)
      throw Failure(kNotWritten, stores_.contains(source)
                                     ? fmt::format("{}: the store itself; choose another name", path)
                                     : fmt::format("{}: is read by this command; choose another name", path));
    if (is_folder && folders_around(source).contains(*existing))
      throw Failure(
          kNotWritten,
          fmt::format("{}: contains {}, which is read by this command; choose another name", path, source));
  }
  const boost::filesystem::path folder = boost::filesystem::absolute(path).parent_path();
  check_around(path, folder.string(), [&](const std::string& store) { return existing || is_zarr(store); });
}

// Throws Failure(kNotWritten) if `folder` is or lies in a store that is a folder and for which
// is_meant(store) is true. path: for the message.
template <class IsMeant>
void ReadSources::check_around(const std::string& path, const std::string& folder, IsMeant&& is_meant) const {
  const auto around = folders_around((boost::filesystem::path(folder) / "a").string());
  for (const std::string& store : stores_) {
    const auto its = identity_at(store);
    if (its && is_folder_on_host(store) && around.contains(*its) && is_meant(store))
      throw Failure(kNotWritten, fmt::format("{}: in the store {}, which is read by this command; choose a "
                                             "place outside of it",
                                             path, store));
  }
}

void ReadSources::check_folder(const std::string& path) const {
  check_around(path, path, [](const std::string&) { return true; });
}

void ReadSources::check_file(const std::string& path) {
  const auto existing = identity_at(path);
  if (!existing) return;
  std::call_once(is_examined_, [this] {
    for (const std::string& source : all())
      if (const auto identity = identity_at(source)) known_.insert(*identity);
  });
  if (known_.contains(*existing))
    throw NameTaken(fmt::format("{}: is read by this command; choose another folder", path));
}

void ReadSources::check_output() const {
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return;
  for (const std::string& source : all())
    if (identity_at(source) == Identity(status.st_dev, status.st_ino))
      throw Failure(kUsage, fmt::format("{}: standard output is the file that is read", source));
}

}  // namespace plainfs
