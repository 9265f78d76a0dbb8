#include "fs/serve/site/folder.h"

#include <algorithm>

namespace plainfs::serve {
namespace {

std::vector<std::string> below(const std::vector<std::string>& names, const std::string& name) {
  std::vector<std::string> all = names;
  all.push_back(name);
  return all;
}

void look_at(const Exchange& exchange, const Status& status, FolderEntry& entry) {
  entry.is_folder = entry.place.kind == FileKind::directory;
  entry.modified = exchange.modified(status.stat);
  entry.opening = status.opening;
  if (!entry.is_folder && status.is_whole) entry.size = static_cast<uint64_t>(status.stat.st_size);
  if (status.fault && !is_transient(*status.fault))
    entry.fault = public_message(exchange.site, *status.fault);
}

void look_at(const Exchange& exchange, FolderEntry& entry) {
  look_at(exchange, entry.place.filesystem->status_so_far(entry.place.inode), entry);
}

// Adds a part without opening it. of_folder: the status of its folder.
void add_part(const Exchange& exchange, const Site::Place& folder, const Listing::Entry& listed,
              const Status& of_folder, FolderEntry& entry) {
  entry.place = {folder.filesystem, folder.store, listed.inode, FileKind::file,
                 below(folder.names, listed.name)};
  try {
    look_at(exchange, folder.filesystem->status_in_listing(listed, of_folder), entry);
  } catch (const Error& error) {
    entry.error = public_message(exchange.site, error);
  }
}

// Returns false if the entry is a link without a target.
bool add_details(const Exchange& exchange, const Site::Place& folder, const Listing::Entry& listed,
                 FolderEntry& entry) {
  try {
    entry.place = {folder.filesystem, folder.store, listed.inode, folder.filesystem->kind(listed.inode),
                   below(folder.names, listed.name)};
    entry.is_link = entry.place.kind == FileKind::link;
    if (entry.is_link) entry.place = exchange.site.find(entry.place.names);
    look_at(exchange, entry);
  } catch (const Error& error) {
    if (entry.is_link && error.code() == Errc::not_found) return false;
    entry.error = public_message(exchange.site, error);
  }
  return true;
}

std::vector<FolderEntry> stores_of(const Exchange& exchange) {
  std::vector<FolderEntry> entries;
  for (const ServedStore& store : exchange.site.stores()) {
    FolderEntry& entry = entries.emplace_back();
    entry.name = store.name;
    entry.is_folder = entry.is_store = true;
    try {
      entry.place = exchange.site.find({store.name});
      look_at(exchange, entry);
    } catch (const Error& error) {
      entry.error = public_message(exchange.site, error);
    }
  }
  return entries;
}

}  // namespace

std::vector<FolderEntry> folder_entries(const Exchange& exchange, const Site::Place& folder, bool unlisted) {
  std::vector<FolderEntry> entries;
  if (!folder.filesystem) {
    entries = stores_of(exchange);
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
      entry.row = listed.row;
      entry.is_store = listed.kind == FileKind::store;
      bool exists = true;
      if (listing->is_of_parts())
        add_part(exchange, folder, listed, of_folder, entry);
      else
        exists = add_details(exchange, folder, listed, entry);
      if (exists) entries.push_back(std::move(entry));
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace plainfs::serve
