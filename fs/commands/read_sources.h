// The files and folders that an export reads. It never writes to them, replaces them or a folder that
// contains them, or writes into a folder that is read as a store. They are compared by device and inode, so
// links, hard links and other mounts of a folder do not matter.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fs/session.h"

namespace plainfs {

class ReadSources {
 public:
  // Knows the store itself and what was read of it so far.
  explicit ReadSources(Session& session);

  // Adds the store, or the host's file, that the inode is read from. Throws the errors of finding it.
  void add(Inode inode);
  // Throws Failure(kNotWritten) if a file or folder at `path` would replace a source or contain one, replace
  // anything in a store that is a folder, or be a new member of a Zarr folder.
  void check(const std::string& path) const;
  // Throws Failure(kNotWritten) if files in the folder `path` would lie in a store that is a folder.
  void check_folder(const std::string& path) const;
  // Throws NameTaken if the file at `path` is one of the sources that were known at the first call.
  // Thread-safe after the last add().
  void check_file(const std::string& path);
  // Throws Failure(kUsage) if standard output is a source.
  void check_output() const;

 private:
  using Identity = std::pair<dev_t, ino_t>;
  using Identities = std::set<Identity>;

  std::vector<std::string> all() const;
  template <class IsMeant>
  void check_around(const std::string& path, const std::string& folder, IsMeant&& is_meant) const;

  Session& session_;
  std::set<std::string> stores_;  // those that are read, without a mirrored folder
  std::set<std::string> files_;   // further ones
  std::once_flag is_examined_;
  Identities known_;  // at the first check_file()
};

}  // namespace plainfs
