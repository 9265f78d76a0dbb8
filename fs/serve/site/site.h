// The site that a server shows: one store, or a folder of several.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fs/filesystem.h"

namespace plainfs::serve {

// The folder of a mount's own files. It is not served, as it names folders of this machine.
inline constexpr std::string_view kOwnFolder = ".plainfs";

struct ServedStore {
  std::string name;  // of its folder, if there are several stores
  Filesystem* filesystem = nullptr;
};

// The site that is served: one store as the root, or several stores as folders of it.
class Site {
 public:
  // The target of a path.
  struct Place {
    Filesystem* filesystem = nullptr;  // null: the folder of all stores
    size_t store = 0;
    Inode inode = kRootInode;
    FileKind kind = FileKind::directory;
    std::vector<std::string> names;  // of the path with links resolved, from the root of the site
  };

  // stores: at least one; they must outlive this. Stores with equal names are renamed: "a.h5", "a.h5-2".
  explicit Site(std::vector<ServedStore> stores);

  const std::vector<ServedStore>& stores() const { return stores_; }
  bool is_one_store() const { return stores_.size() == 1; }
  // Returns the place at a path and follows links. Throws not_found, also for .plainfs, which names folders
  // of this machine.
  Place find(const std::vector<std::string>& names) const;
  // Holds the inodes that the stores give to this thread until the visits end (Filesystem::visit).
  std::vector<std::unique_ptr<Filesystem::Visit>> visit() const;
  // Returns the store that the path leads into, or null.
  Filesystem* filesystem_of(const std::vector<std::string>& names) const;

 private:
  const ServedStore* store_of(const std::vector<std::string>& names) const;

  std::vector<ServedStore> stores_;
};

// Returns the text of an error for a client: like in the mount's log, but without the folders of this
// machine.
std::string public_message(const Site& site, const Error& error);

}  // namespace plainfs::serve
