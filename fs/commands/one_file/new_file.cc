#include "fs/commands/one_file/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "formats/core/base/descriptor.h"
#include "formats/core/base/host_path.h"
#include "formats/core/text/path_names.h"

namespace plainfs {
namespace {

Descriptor open_folder_of(const std::string& path) {
  Descriptor folder(::open(folder_of_path(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0) throw disk_failure(path);
  return folder;
}

// Returns the same name for each export to that path, so that it finds the part of one that was killed.
std::string new_part_name(const std::string& path) {
  return part_name(std::string(last_name(path)) + " as one file", 0, {});
}

}  // namespace

NewFile::NewFile(const std::string& path)
    : path_(path), part_(PartFile::owned(open_folder_of(path), new_part_name(path), path)) {}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::move(other.part_)),
      exists_(std::exchange(other.exists_, false)) {}

NewFile::~NewFile() {
  if (exists_) part_.discard();
}

void NewFile::take_place(uint64_t size, bool replaces) {
  constexpr timespec kNow{0, UTIME_NOW};
  if (replaces)
    part_.finish(size, kNow, std::string(last_name(path_)));
  else
    part_.finish_unless_taken(size, kNow, std::string(last_name(path_)));
  exists_ = false;
}

void check_place(const std::string& path, bool replaces, const std::string& store) {
  struct stat own {
  }, found{};
  if (::lstat(path.c_str(), &own) != 0) return;
  const bool leads_somewhere = ::stat(path.c_str(), &found) == 0;
  if (leads_somewhere && !S_ISREG(found.st_mode))
    throw Failure(kNotWritten,
                  fmt::format("{}: not a regular file; to write to another kind use plainfs cat", path));
  if (leads_somewhere && is_same_on_host(path, store))
    throw Failure(kNotWritten, fmt::format("{}: the store itself; choose another name", path));
  if (!replaces) throw Failure(kNotWritten, fmt::format("{}: already exists; --force replaces it", path));
}

}  // namespace plainfs
