#include "fs/serve/folder.h"

#include <algorithm>

namespace plainfs::serve {
namespace {

std::vector<std::string> below(const std::vector<std::string>& names, const std::string& name) {
  std::vector<std::string> all = names;
  all.push_back(name);
  return all;
}

void look_at(const Asked& asked, const Status& status, FolderEntry& entry) {
  entry.is_folder = entry.place.kind == FileKind::directory;
  entry.modified = asked.modified(status.stat);
  entry.opening = status.opening;
  if (!entry.is_folder && status.is_whole) entry.size = static_cast<uint64_t>(status.stat.st_size);
}

void look_at(const Asked& asked, FolderEntry& entry) {
  look_at(asked, entry.place.filesystem->status_so_far(entry.place.inode), entry);
}

// Adds a part without opening it. of_folder: the status of its folder.
void add_part(const Asked& asked, const Site::Place& folder, const Listing::Entry& listed,
              const Status& of_folder, FolderEntry& entry) {
  entry.place = {folder.filesystem, folder.store, listed.inode, FileKind::file,
                 below(folder.names, listed.name)};
  try {
    look_at(asked, folder.filesystem->status_in_listing(listed, of_folder), entry);
  } catch (const Error& error) {
    entry.error = told_outside(asked.site, error);
  }
}

// Returns false if the entry is a link without a target.
bool add_details(const Asked& asked, const Site::Place& folder, const Listing::Entry& listed,
                 FolderEntry& entry) {
  try {
    entry.place = {folder.filesystem, folder.store, listed.inode, folder.filesystem->kind(listed.inode),
                   below(folder.names, listed.name)};
    entry.is_link = entry.place.kind == FileKind::link;
    if (entry.is_link) entry.place = asked.site.find(entry.place.names);
    look_at(asked, entry);
  } catch (const Error& error) {
    if (entry.is_link && error.code() == Errc::not_found) return false;
    entry.error = told_outside(asked.site, error);
  }
  return true;
}

std::vector<FolderEntry> stores_of(const Asked& asked) {
  std::vector<FolderEntry> entries;
  for (const ServedStore& store : asked.site.stores()) {
    FolderEntry& entry = entries.emplace_back();
    entry.name = store.name;
    entry.is_folder = entry.is_store = true;
    try {
      entry.place = asked.site.find({store.name});
      look_at(asked, entry);
    } catch (const Error& error) {
      entry.error = told_outside(asked.site, error);
    }
  }
  return entries;
}

}  // namespace

std::vector<FolderEntry> folder_entries(const Asked& asked, const Site::Place& folder, bool unlisted) {
  std::vector<FolderEntry> entries;
  if (!folder.filesystem) {
    entries = stores_of(asked);
  } else {
    const ListingPtr listing = folder.filesystem->list(folder.inode);
    folder.filesystem->give(*listing);
    const Status of_folder = folder.filesystem->status_so_far(folder.inode);
    // A page does not compute sizes that are unknown.
    for (size_t i = 0; i < (unlisted ? listing->size() : listing->once()); ++i) {
      const Listing::Entry listed = listing->at(i);
      if (listed.name == kOwnFolder) continue;
      FolderEntry entry;
      entry.name = listed.name;
      entry.is_unlisted = i >= listing->once();
      entry.is_store = listed.kind == FileKind::store;
      bool is_there = true;
      if (listing->is_of_parts())
        add_part(asked, folder, listed, of_folder, entry);
      else
        is_there = add_details(asked, folder, listed, entry);
      if (is_there) entries.push_back(std::move(entry));
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace plainfs::serve
