// What is served: one store as the root, or several as folders of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fs/filesystem.h"

namespace plainfs::serve {

// Of a mount itself; not served, since it names folders of this machine.
inline constexpr std::string_view kOwnFolder = ".plainfs";

struct ServedStore {
  std::string name;  // of its folder, where there are several
  Filesystem* filesystem = nullptr;
};

class Site {
 public:
  // Where a path leads.
  struct Place {
    Filesystem* filesystem = nullptr;  // null: the folder of all stores
    size_t store = 0;
    Inode inode = kRootInode;
    FileKind kind = FileKind::directory;
    std::vector<std::string> names;  // of the path without a link: from the root of the site
  };

  // At least one; they outlive this. Those of the same name are given others: "a.h5", "a.h5-2".
  explicit Site(std::vector<ServedStore> stores);

  const std::vector<ServedStore>& stores() const { return stores_; }
  bool is_one_store() const { return stores_.size() == 1; }
  // Links are followed. Throws not_found; .plainfs, which names folders of this machine, is not there.
  Place find(const std::vector<std::string>& names) const;
  // Holds, for this thread, what the stores give it (Filesystem::visit) until it ends.
  std::vector<std::unique_ptr<Filesystem::Visit>> visit() const;
  // Of the store in which the path would be; null where it is in none.
  Filesystem* filesystem_of(const std::vector<std::string>& names) const;

 private:
  const ServedStore* store_of(const std::vector<std::string>& names) const;

  std::vector<ServedStore> stores_;
};

// What happened, for a client: as a reader of the mount's log has it, without the folders of this machine.
std::string told_outside(const Site& site, const Error& error);

}  // namespace plainfs::serve
