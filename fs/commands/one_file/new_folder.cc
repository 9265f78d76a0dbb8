#include "fs/commands/one_file/new_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstring>

#include "formats/core/text/path_names.h"
#include "fs/commands/one_file/places.h"
#include "fs/commands/part_file.h"

namespace plainfs {
namespace {

void remove_all(const std::string& path) {
  boost::system::error_code error;
  boost::filesystem::remove_all(path, error);
}

// Locks the folder for this process, and creates it if it is missing. Throws if another process holds it.
Descriptor locked_folder(const std::string& part, const std::string& path) {
  if (::mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) throw disk_failure(path);
  Descriptor folder(::open(part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.number() < 0) throw disk_failure(path);
  if (::flock(folder.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Failure(kNotWritten, fmt::format("{}: another export is writing it", path));
  return folder;
}

// Removes the content that a killed export has left.
void empty_folder(const std::string& part) {
  boost::system::error_code error;
  for (boost::filesystem::directory_iterator entry(part, error), end; !error && entry != end;
       entry.increment(error))
    remove_all(entry->path().string());
}

bool has_entry(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

NewFolder::NewFolder(const std::string& path)
    : path_(path),
      part_(path.substr(0, path.size() - last_name(path).size()) +
            part_name(std::string(last_name(path)) + " as one folder", 0, {})),
      locked_(locked_folder(part_, path)) {
  empty_folder(part_);
  folder_.emplace(part_);
}

NewFolder::~NewFolder() {
  if (!part_.empty()) remove_all(part_);
}

void NewFolder::take_place(bool replaces) {
#ifdef __linux__
  if (replaces && has_entry(path_) &&
      ::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0)
    return;  // the destructor removes the old folder
  if (!replaces && ::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0)
    return part_.clear();
#endif
  // rename() replaces only an empty folder.
  if (replaces && has_entry(path_)) {
    replace_folder(part_, path_);
    return part_.clear();
  }
  if (has_entry(path_))
    throw Failure(kNotWritten, fmt::format("{}: something else was created there in the meantime", path_));
  if (::rename(part_.c_str(), path_.c_str()) != 0) throw disk_failure(path_);
  part_.clear();
}

void check_folder_place(const std::string& path, bool replaces, std::initializer_list<const char*> marks) {
  if (!has_entry(path)) return;
  if (!replaces) throw Failure(kNotWritten, fmt::format("{}: already exists; --force replaces it", path));
  const bool is_marked =
      std::any_of(marks.begin(), marks.end(), [&](const char* mark) { return has_entry(path + "/" + mark); });
  if (!is_marked)
    throw Failure(kNotWritten, fmt::format("{}: not replaced, because it contains something else", path));
}

}  // namespace plainfs
