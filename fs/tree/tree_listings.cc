// The tree's functions that list directories and drop their contents.
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "cache/cancellable_lock.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/model/transient_fault.h"
#include "fs/index/housekeeping.h"
#include "fs/tree/tree.h"

namespace plainfs {
namespace {

// Returns whether the entry, or the node it stands for, has an error that may pass.
bool has_transient_fault(const DirectoryEntry& shown) {
  return shown.fault ? is_transient(*shown.fault) : transient_fault(shown.node()).has_value();
}

// The most bytes of directories that keep their contents. A directory that contains others with contents is
// not dropped before these. So a few directories are kept even if those above them take all of the bytes.
constexpr size_t kMaxListedBytes = size_t{12} << 20;
constexpr size_t kLeastListed = 32;

// Bytes of a directory with contents, and of a name in it, with its inode, its text in three places and the
// objects that its file is generated from.
constexpr size_t kDirectoryBytes = 4096;
constexpr size_t kNameBytes = 1024;

// Seconds after which another change of a folder gets another modification time. File systems store whole
// seconds, or two.
constexpr time_t kTimesDiffer = 3;

// How long a listing is kept that is incomplete because of a fault.
constexpr std::chrono::seconds kFaultIsKept{1};

}  // namespace

// Returns null if the directory is not listed, or must be listed again.
Tree::ContentsPtr Tree::at_hand(Inode inode) const {
  const EntryPtr known = met(inode);
  Directory* const directory = known ? known->directory.get() : nullptr;
  if (!directory || !directory->contents || directory->is_due()) return nullptr;
  directory->is_used.store(true, std::memory_order_relaxed);
  return directory->contents;
}

// Lists the directories above this one, from the top down: each is shown by its parent, and there may be
// thousands.
void Tree::list_above(Inode inode) {
  std::vector<Inode> above;
  {
    const ReaderLock lock(mutex_);
    for (Inode at = inode; at != kRootInode;) {
      at = inodes_->parent(at);
      if (at_hand(at)) break;
      above.push_back(at);
    }
  }
  while (above.size() > 1) {
    contents(above.back());
    above.pop_back();
  }
}

// Returns the contents of the directory; lists it if necessary. The contents are not dropped while the result
// is held.
Tree::ContentsPtr Tree::contents(Inode inode) {
  {
    const ReaderLock lock(mutex_);
    if (ContentsPtr held = at_hand(inode)) return held;
  }
  list_above(inode);
  if (kind(inode) != FileKind::directory) throw not_found("{}: not a directory", path(inode));
  const EntryPtr known = entry(inode);
  if (inode != kRootInode) refresh(inodes_->parent(inode));
  const DirectoryEntryPtr here = shown(inode);
  const Node node = directory_node(*here);
  const DirectoryPlace place = place_of(inode);
  const CancellableLock listing(known->directory->listing_now);
  {
    const ReaderLock lock(mutex_);
    if (ContentsPtr held = at_hand(inode)) return held;
  }
  Context& context = place.is_named ? listing_.context : listing_.context.of_store(place.store->path);
  std::optional<HostFolder> folder = host_folder(node, place);
  return publish(inode, show_directory(*here, node, place, {context, stores_, listing_.views}),
                 is_remote(*place.store), std::move(folder));
}

// Returns nullopt unless the directory is a mirrored folder that is followed.
std::optional<Tree::HostFolder> Tree::host_folder(const Node& directory, const DirectoryPlace& place) {
  const auto* const folder = std::get_if<PlainFile>(&directory.content);
  struct stat status {};
  if (!follows_folders_ || !place.is_named || !folder || !directory.parts) return std::nullopt;
  HostFolder found{folder->path, {}, file_time()};
  if (listing_.context.files.look(folder->path, status)) found.modified = modified_time(status);
  return found;
}

// Returns whether the directory is a mirrored folder that has changed since it was listed; it must then be
// listed again. A change right after the listing may have left the modification time as it was.
bool Tree::has_folder_changed(Inode directory) {
  std::optional<HostFolder> folder;
  {
    const ReaderLock lock(mutex_);
    const EntryPtr known = met(directory);
    if (known && known->directory && known->directory->contents) folder = known->directory->contents->folder;
  }
  struct stat status {};
  if (!folder || !listing_.context.files.look(folder->path, status)) return false;
  const timespec now = modified_time(status);
  if (is_same_time(now, folder->modified) && now.tv_sec + kTimesDiffer < folder->listed.tv_sec) return false;
  const WriterLock lock(mutex_);
  const EntryPtr known = met(directory);
  if (known) known->directory->again = Clock::time_point::min();
  return known != nullptr;
}

// Throws changed if one of these files was written to. A file that becomes a directory gets another inode, so
// the whole mount is reopened.
void Tree::check_failed_stores(Inode directory) {
  std::vector<FailedStore> failed;
  {
    const ReaderLock lock(mutex_);
    for (const auto& [inode, store] : failed_stores_)
      if (inodes_->known_parent(inode) == directory) failed.push_back(store);
  }
  for (const FailedStore& store : failed) {
    struct stat status {};
    if (!listing_.context.files.look(store.path, status)) continue;
    const timespec now = modified_time(status);
    if (status.st_size != store.size || now.tv_sec != store.modified.tv_sec ||
        now.tv_nsec != store.modified.tv_nsec)
      throw changed(store.path);
  }
}

bool Tree::is_followed(Inode directory) {
  const ReaderLock lock(mutex_);
  const EntryPtr known = met(directory);
  return known && known->directory && known->directory->contents && known->directory->contents->folder;
}

// Lists the directory again if a fault has left something out of it. Its entries may then stand for more.
void Tree::refresh(Inode inode) {
  {
    const ReaderLock lock(mutex_);
    const EntryPtr known = met(inode);
    if (!known || !known->directory || !known->directory->contents || !known->directory->is_due()) return;
  }
  contents(inode);
}

// is_remote: reading the store means fetching it. Requires: the directory was met.
Tree::ContentsPtr Tree::publish(Inode directory, DirectoryContent all, bool is_remote,
                                std::optional<HostFolder> folder) {
  if (directory == kRootInode) add_own_to_root(all.shown);
  const auto is_once = [](const DirectoryEntry& shown) { return !shown.is_unlisted; };
  const auto again = std::stable_partition(all.shown.begin(), all.shown.end(), is_once);
  const auto is_listed = [&](const DirectoryEntry& shown) {
    if (!is_remote || !shown.is_sized_by_reading) return true;
    return shown.kind == FileKind::file && is_known_size(inodes_->of(directory, shown.name, shown.kind));
  };
  const auto unsized = std::stable_partition(all.shown.begin(), again, is_listed);
  const auto contents = std::make_shared<Contents>();
  contents->folder = std::move(folder);
  contents->listing = std::make_shared<const Listing>(
      inodes_, directory, all.shown, static_cast<size_t>(unsized - all.shown.begin()),
      static_cast<size_t>(again - unsized), std::move(all.unopened));
  contents->shown.reserve(all.shown.size());
  for (DirectoryEntry& shown : all.shown)
    contents->shown.push_back(std::make_shared<const DirectoryEntry>(std::move(shown)));
  contents->bytes = kDirectoryBytes + contents->shown.size() * kNameBytes;
  const bool is_whole =
      std::none_of(contents->shown.begin(), contents->shown.end(),
                   [](const DirectoryEntryPtr& shown) { return has_transient_fault(*shown); });
  Freed before, freed;
  {
    const WriterLock lock(mutex_);
    if (const ContentsPtr& old = met(directory)->directory->contents) before.views = forget_faults(*old);
    set_contents(directory, contents, before);
    met(directory)->directory->again = is_whole ? Clock::time_point::max() : Clock::now() + kFaultIsKept;
    let_some_go(directory, freed);
  }
  keep_measured(freed);
  return contents;
}

// Adds the mount's own names, unless the store has files with these names.
void Tree::add_own_to_root(std::vector<DirectoryEntry>& shown) {
  const WriterLock lock(mutex_);
  for (const DirectoryEntry& own : listed_in_root_) {
    const bool is_taken = std::any_of(shown.begin(), shown.end(),
                                      [&](const DirectoryEntry& other) { return other.name == own.name; });
    if (is_taken)
      entries_.erase(inodes_->of(kRootInode, own.name, FileKind::file));
    else
      shown.push_back(own);
  }
  for (const auto& [name, inode] : hidden_) shown.push_back(*held(inode));
}

void Tree::set_contents(Inode directory, ContentsPtr contents, Freed& freed) {
  Directory& known = *met(directory)->directory;
  if (known.contents) take_contents(directory, freed);
  known.contents = std::move(contents);
  known.is_used.store(true, std::memory_order_relaxed);
  listed_.bytes += known.bytes();
  ++listed_.directories;
  if (directory != kRootInode) ++met(inodes_->parent(directory))->directory->listed_below;
  if (!is_hidden(directory)) may_drop(directory, known);
}

// Lets the contents of the directory be dropped in its turn, unless it contains directories with contents.
void Tree::may_drop(Inode inode, Directory& directory) {
  if (directory.is_in_turn || directory.listed_below > 0 || !directory.contents) return;
  turns_.push_back(inode);
  directory.is_in_turn = true;
}

// Requires: the directory has contents.
void Tree::take_contents(Inode directory, Freed& freed) {
  Directory& known = *met(directory)->directory;
  listed_.bytes -= known.bytes();
  --listed_.directories;
  freed.contents.emplace_back(directory, std::move(known.contents));
  known.contents = nullptr;
  if (directory == kRootInode) return;
  const Inode parent = inodes_->parent(directory);
  Directory& above = *met(parent)->directory;
  --above.listed_below;
  may_drop(parent, above);
}

Tree::Listed Tree::listed() const {
  const ReaderLock lock(mutex_);
  return listed_;
}

// Drops contents that were not used since the last check, while they take too much memory.
void Tree::let_some_go(Inode but, Freed& freed) {
  const auto is_too_much = [this]() REQUIRES(mutex_) {
    return listed_.bytes > kMaxListedBytes && turns_.size() > kLeastListed;
  };
  for (size_t tries = 2 * turns_.size(); is_too_much() && tries > 0; --tries) {
    const Inode directory = turns_.front();
    turns_.pop_front();
    const EntryPtr entry = met(directory);
    if (!entry) continue;
    Directory& known = *entry->directory;
    known.is_in_turn = false;
    if (!known.contents || known.listed_below > 0) continue;
    const bool is_used = known.is_used.exchange(false, std::memory_order_relaxed);
    if (directory == but || is_used)
      may_drop(directory, known);
    else
      take_contents(directory, freed);
  }
}

// Keeps the measurements of files for the next session, because their directories may now lose their names.
void Tree::keep_measured(const Freed& freed) noexcept {
  if (!indexes_.are_kept()) return;
  keep_house("sizes are not kept for the next session", notice(), [&] {
    for (const auto& [directory, contents] : freed.contents)
      for (size_t i = 0; i < contents->listing->size(); ++i)
        if (const auto known = open_views_.measurement(contents->listing->inode_at(i)))
          indexes_.of(*known->place).add(known->place->path, known->measured);
  });
}

// Drops views that would still report an error that has passed.
std::vector<std::shared_ptr<ViewFile>> Tree::forget_faults(const Contents& contents) {
  std::vector<std::shared_ptr<ViewFile>> forgotten;
  for (size_t i = 0; i < contents.shown.size(); ++i)
    if (has_transient_fault(*contents.shown[i]))
      forgotten.push_back(open_views_.let_go(contents.listing->inode_at(i)));
  return forgotten;
}

ListingPtr Tree::list(Inode inode) {
  const FoundFilesPtr found = found_in(inode);
  if (!found) {
    has_folder_changed(inode);
    check_failed_stores(inode);
    return contents(inode)->listing;
  }
  FoundNamesPtr names = found->names();
  const Inode first = inodes_->listed_parts(inode, owner_, names->count());
  return std::make_shared<const Listing>(inodes_, std::move(names), first);
}

// Drops everything that stands for a part of a store, so that its files can be closed.
void Tree::let_go(const std::string& store_path) {
  Freed freed;
  {
    const WriterLock lock(mutex_);
    for (const auto& [inode, known] : entries_) {
      const bool is_listed = known->directory && known->directory->contents;
      if (is_listed && !is_hidden(inode) && is_in_store(inode, store_path)) take_contents(inode, freed);
    }
    std::erase_if(turns_, [&](Inode directory) REQUIRES(mutex_) {
      const EntryPtr known = met(directory);
      if (known) known->directory->is_in_turn = known->directory->contents != nullptr;
      return !known || !known->directory->contents;
    });
  }
  keep_measured(freed);
  freed.views = open_views_.let_go_if([&](Inode file) {
    const ReaderLock lock(mutex_);
    return is_in_store(file, store_path);
  });
}

// Also true for a released name, which no request uses.
bool Tree::is_in_store(Inode inode, const std::string& store_path) const try {
  for (; inode != kRootInode; inode = inodes_->parent(inode)) {
    const auto root = inner_roots_.find(inode);
    if (root != inner_roots_.end()) return root->second == store_path;
  }
  return false;
} catch (const Error&) {
  return true;
}

}  // namespace plainfs
