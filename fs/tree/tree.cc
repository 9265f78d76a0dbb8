#include "fs/tree/tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "cache/cancellable_lock.h"
#include "formats/core/base/file_pool.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/split.h"
#include "formats/open_store.h"

namespace plainfs {
namespace {

// The most stores of a folder that are open at once. A reopened store is read again.
constexpr size_t kMaxInnerStores = 48;
constexpr size_t kDescriptorsAStore = 16;  // one store for so many file descriptors of the process

size_t max_inner_stores() {
  return std::clamp<size_t>(max_descriptors() / kDescriptorsAStore, 1, kMaxInnerStores);
}

constexpr size_t kFewEntries = 1024;  // up to so many, lost names are not searched for

const std::string* host_path(const DirectoryEntry& shown) {
  if (!shown.node().store.empty()) return &shown.node().store;
  const PlainFile* file = std::get_if<PlainFile>(&shown.node().content);
  return file ? &file->path : nullptr;
}

std::string names_of(const ChosenViews& views) {
  std::string names;
  for (const View& view : plainfs::views())
    if (std::find(views.all.begin(), views.all.end(), &view) != views.all.end())
      names.append(view.option).append(" ");
  return names;
}

bool is_directory(FileKind kind) {
  return kind == FileKind::directory || kind == FileKind::store;
}

DirectoryEntry directory_of(Node node) {
  DirectoryEntry directory{{}, FileKind::directory};
  directory.shared_node = std::make_shared<const Node>(std::move(node));
  return directory;
}

// Enters one directory. is_named: `top` is in the store that was named on the command line.
Top step(const Top& top, bool& is_named, std::string_view name, const ListingContext& listing) {
  Context& context = is_named ? listing.context : listing.context.of_store(top.store->path);
  const DirectoryPlace place{top.store, {}, top.above, is_named && top.above.empty(), is_named};
  const DirectoryContent all =
      show_directory(top.directory, top.directory.node(), place, {context, listing.stores, listing.views});
  const auto found = std::find_if(all.shown.begin(), all.shown.end(),
                                  [&](const DirectoryEntry& shown) { return shown.name == name; });
  if (found == all.shown.end()) {
    if (const Error* fault = all.unopened.unknown(name)) throw *fault;
    throw not_found("{} does not exist", name);
  }
  if (found->kind == FileKind::store) {
    is_named = false;
    const StorePtr store = listing.stores.open(found->node().store);
    return {store, {}, directory_of(as_root_directory(store->root, false))};
  }
  if (found->kind != FileKind::directory) throw not_found("{}: not a directory", name);
  Top below{top.store, top.above, *found};
  below.above.push_back(found->name);
  below.directory.name.clear();
  below.directory.is_generated |= top.directory.is_generated;
  return below;
}

// Opens the directory `subdir` of `store` for the mountpoint. subdir: a path as shown, such as "assays/RNA",
// also into a store of a mirrored folder; empty for the whole store. Throws not_found if it is not a
// directory, and the errors of opening and listing.
Top top_of(StorePtr store, std::string_view subdir, const ListingContext& listing) {
  const Node root = as_root_directory(store->root, true);
  Top top{std::move(store), {}, directory_of(root)};
  bool is_named = true;
  for (const std::string& name : path_names(subdir))
    if (name != ".") top = step(top, is_named, name, listing);
  return top;
}

}  // namespace

Tree::Tree(StorePtr store, std::string_view subdir, ChosenViews views, Context& context,
           std::shared_ptr<Inodes> inodes, IndexFolderPtr index)
    : inodes_(std::move(inodes)),
      stores_(context, max_inner_stores(), [this](const std::string& path) { let_go(path); }),
      listing_{context, stores_, std::move(views)},
      indexes_(std::move(index), store->path, names_of(listing_.views), context),
      top_(top_of(std::move(store), subdir, listing_)),
      owner_(inodes_->new_owner()),
      open_views_(inodes_) {
  const WriterLock lock(mutex_);
  add(kRootInode, FileKind::directory)->own = std::make_shared<const DirectoryEntry>(top_.directory);
}

void Tree::add_hidden(const std::string& name, const std::vector<HiddenFile>& files) {
  const Inode directory = inodes_->of(kRootInode, name, FileKind::directory);
  hidden_[name] = last_hidden_ = directory;
  DirectoryEntry hidden{{name}, FileKind::directory};
  hidden.is_unlisted = true;
  {
    const WriterLock lock(mutex_);
    add(directory, FileKind::directory)->own = std::make_shared<const DirectoryEntry>(std::move(hidden));
  }
  std::vector<DirectoryEntry> all;
  for (const HiddenFile& file : files) all.push_back({{file.name, file.open}, FileKind::file});
  const ContentsPtr contents = publish(directory, {std::move(all), {}}, false);
  const WriterLock lock(mutex_);
  for (const Listing::Entry& file : contents->listing->entries()) {
    add(file.inode, FileKind::file)->changes = true;
    last_hidden_ = std::max(last_hidden_, file.inode);
  }
}

void Tree::add_hidden_file(const HiddenFile& file) {
  const Inode inode = inodes_->of(kRootInode, file.name, FileKind::file);
  DirectoryEntry hidden{{file.name, file.open}, FileKind::file};
  hidden.is_unlisted = !file.is_listed;
  if (file.is_listed)
    listed_in_root_.push_back(hidden);
  else
    hidden_[file.name] = inode;
  const WriterLock lock(mutex_);
  add(inode, FileKind::file)->own = std::make_shared<const DirectoryEntry>(std::move(hidden));
  last_hidden_ = std::max(last_hidden_, inode);
}

// Returns null if this opening has not met the inode.
Tree::EntryPtr Tree::met(Inode inode) const {
  const auto found = entries_.find(inode);
  return found == entries_.end() ? nullptr : found->second;
}

// Returns the entry of a directory or store. Its non-constant members are guarded by mutex_.
Tree::EntryPtr Tree::entry(Inode inode) {
  {
    const ReaderLock lock(mutex_);
    if (EntryPtr known = met(inode)) return known;
  }
  const FileKind kind = inodes_->kind(inode);
  const DirectoryEntryPtr here = shown(inode);
  const WriterLock lock(mutex_);
  if (EntryPtr known = met(inode)) return known;
  if (!here->node().store.empty()) inner_roots_.emplace(inode, here->node().store);
  EntryPtr generated = add(inode, kind);
  if (generated->directory) generated->directory->has_found = here->found != nullptr;
  return generated;
}

Tree::EntryPtr Tree::add(Inode inode, FileKind kind) {
  forget_lost_names();
  auto generated = std::make_shared<Entry>();  // complete before another thread can see it
  generated->kind = kind;
  if (is_directory(kind)) generated->directory = std::make_unique<Directory>();
  entries_[inode] = generated;
  return generated;
}

// A released name gets another inode when it is looked up again.
void Tree::forget_lost_names() {
  if (entries_.size() < entries_before_look_) return;
  const auto is_lost = [this](const auto& known) { return !inodes_->knows(known.first); };
  std::erase_if(entries_, is_lost);
  std::erase_if(inner_roots_, is_lost);
  std::erase_if(failed_stores_, is_lost);
  entries_before_look_ = std::max(kFewEntries, 2 * entries_.size());
}

// Returns null unless the files of the directory are found by their names.
FoundFilesPtr Tree::found_in(Inode inode) {
  if (!is_directory(inodes_->kind(inode))) return nullptr;
  const EntryPtr known = entry(inode);
  {
    const ReaderLock lock(mutex_);
    if (!known->directory || !known->directory->has_found) return nullptr;
  }
  return shown(inode)->found;
}

// Returns the entry of the inode if it is in memory, otherwise null.
Tree::DirectoryEntryPtr Tree::held(Inode inode) const {
  const EntryPtr known = met(inode);
  if (known && known->own) return known->own;
  if (inodes_->listed_part(inode)) return nullptr;
  const EntryPtr parent = met(inodes_->parent(inode));
  if (!parent || !parent->directory || !parent->directory->contents) return nullptr;
  const Contents& contents = *parent->directory->contents;
  const std::optional<size_t> place = contents.listing->find(inodes_->name(inode));
  if (!place || contents.listing->inode_at(*place) != inode) return nullptr;
  parent->directory->is_used.store(true, std::memory_order_relaxed);
  return contents.shown[*place];
}

Tree::DirectoryEntryPtr Tree::shown(Inode inode) {
  {
    const ReaderLock lock(mutex_);
    if (DirectoryEntryPtr known = held(inode)) return known;
  }
  const Inode parent = inodes_->parent(inode);
  if (const FoundFilesPtr files = found_in(parent))
    return std::make_shared<const DirectoryEntry>(show_found(*files, name(inode)));
  const std::string name = inodes_->name(inode);
  for (bool may_list_again = true;; may_list_again = false) {
    const ContentsPtr all = contents(parent);
    const std::optional<size_t> place = all->listing->find(name);
    if (place && all->listing->inode_at(*place) == inode) return all->shown[*place];
    if (!may_list_again || !has_folder_changed(parent)) throw not_found("{}: no longer in the store", name);
  }
}

FileKind Tree::kind(Inode inode) {
  {
    const ReaderLock lock(mutex_);
    const EntryPtr known = met(inode);
    if (known && known->kind != FileKind::store) return known->kind;
  }
  const FileKind kind = inodes_->kind(inode);
  if (!is_directory(kind)) {
    check_is_shown(inode);
    return kind;
  }
  const EntryPtr known = entry(inode);
  if (kind == FileKind::store) settle(inode);
  const ReaderLock lock(mutex_);
  return known->kind;
}

// Throws not_found for a file or link that the store no longer has.
void Tree::check_is_shown(Inode inode) {
  if (const std::optional<ListedPart> part = inodes_->listed_part(inode)) {
    if (part->owner != owner_) throw not_found("{}: no longer in the store", inodes_->path(inode));
    return;
  }
  shown(inode);
}

// Decides whether a store in a folder opens, and so whether it is a directory or the file or folder on disk.
// An error that may pass decides neither. A store that is only looked up, as for a listing, is not opened if
// its first bytes are conclusive.
void Tree::settle(Inode inode) {
  const DirectoryEntryPtr known = shown(inode);
  std::shared_ptr<DirectoryEntry> as_it_is;
  struct stat status {};
  if (follows_folders_) listing_.context.files.look(known->node().store, status);
  try {
    if (!is_sure_to_open(known->node().store, listing_.context)) stores_.open(known->node().store);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    listing_.context.warn(fmt::format("{}: shown as it is: {}", known->node().store, error.what()));
    as_it_is = std::make_shared<DirectoryEntry>(*known);
    Node node = known->node();
    node.store.clear();
    if (auto* file = std::get_if<PlainFile>(&node.content))
      file->no_store = error;
    else  // files with a common prefix: there is nothing else to show
      node.parts = std::make_shared<BrokenGroup>(nullptr, known->node().store, error);
    as_it_is->kind = node.parts ? FileKind::directory : FileKind::file;
    if (!node.parts) as_it_is->open = open_plain_file(node, listing_);
    as_it_is->shared_node = std::make_shared<const Node>(std::move(node));
  }
  const WriterLock lock(mutex_);
  const EntryPtr settled = met(inode);
  if (!settled || settled->kind != FileKind::store) return;
  settled->kind = as_it_is ? as_it_is->kind : FileKind::directory;
  if (as_it_is && follows_folders_)
    failed_stores_[inode] = {known->node().store, status.st_size, modified_time(status)};
  settled->own = std::move(as_it_is);
}

Node Tree::directory_node(const DirectoryEntry& shown) {
  if (shown.node().store.empty()) return shown.node();
  return as_root_directory(stores_.open(shown.node().store)->root, false);
}

DirectoryPlace Tree::place_of(Inode directory) {
  DirectoryPlace place;
  for (Inode at = directory;; at = inodes_->parent(at)) {
    if (at == kRootInode) {
      place.store = top_.store;
      place.above = top_.above;
      place.is_named = true;
      place.is_top = place.names.empty();
      break;
    }
    const DirectoryEntryPtr here = shown(at);
    if (!here->node().store.empty()) {
      place.store = stores_.open(here->node().store);
      break;
    }
    place.names.push_back(here->name);
  }
  std::reverse(place.names.begin(), place.names.end());
  return place;
}

// Finds a file of a remote store that its directory does not list.
std::optional<Inode> Tree::find_unlisted(Inode directory, std::string_view name) {
  const Node node = directory_node(*shown(directory));
  std::optional<Node> found = node.parts ? node.parts->find_unlisted(name) : std::nullopt;
  if (!found) return std::nullopt;
  const FileKind kind = found->parts ? FileKind::directory : FileKind::file;
  auto entry = std::make_shared<DirectoryEntry>(DirectoryEntry{{std::string(name)}, kind});
  if (kind == FileKind::file) entry->open = open_plain_file(*found, listing_);
  entry->shared_node = std::make_shared<const Node>(*std::move(found));
  entry->is_unlisted = true;
  const Inode inode = inodes_->of(directory, std::string(name), kind);
  const WriterLock lock(mutex_);
  if (!met(inode)) add(inode, kind)->own = std::move(entry);
  return inode;
}

bool Tree::is_generated(Inode inode) {
  for (; inode != kRootInode; inode = inodes_->parent(inode))
    if (is_directory(inodes_->kind(inode)) && shown(inode)->is_generated) return true;
  return top_.directory.is_generated;
}

std::optional<Inode> Tree::find_hidden(Inode directory, std::string_view name) const {
  const auto hidden = directory == kRootInode ? hidden_.find(name) : hidden_.end();
  return hidden == hidden_.end() ? std::nullopt : std::optional(hidden->second);
}

Inode Tree::lookup(Inode directory, std::string_view name) {
  if (const std::optional<Inode> hidden = find_hidden(directory, name)) return *hidden;
  if (const FoundFilesPtr files = found_in(directory)) {
    const DirectoryEntry file = show_found(*files, std::string(name));
    const FoundNamesPtr names = files->names();
    if (const std::optional<uint64_t> place = names->place_of(name))
      return inodes_->part(directory, owner_, names->count(), *place);
    return inodes_->of(directory, file.name, FileKind::file);
  }
  ListingPtr listing = contents(directory)->listing;
  std::optional<size_t> place = listing->find(name);
  if (!place && has_folder_changed(directory)) {
    listing = contents(directory)->listing;
    place = listing->find(name);
  }
  if (place) return inodes_->give(listing->inode_at(*place));
  if (const Error* fault = listing->unopened().unknown(name)) throw *fault;
  if (const std::optional<Inode> unlisted = find_unlisted(directory, name)) return *unlisted;
  throw not_found("{} does not exist", name);
}

std::string Tree::name(Inode inode) {
  const std::optional<ListedPart> part = inodes_->listed_part(inode);
  if (!part) return inodes_->name(inode);
  check_is_shown(inode);
  const FoundFilesPtr files = found_in(part->directory);
  const FoundNamesPtr names = files ? files->names() : nullptr;
  if (!names || part->place >= names->count())
    throw not_found("{}: no longer in the store", inodes_->path(inode));
  return names->at(part->place);
}

std::string Tree::path(Inode inode) {
  const std::optional<ListedPart> part = inodes_->listed_part(inode);
  if (!part) return inodes_->path(inode);
  return inodes_->path(part->directory) + "/" + name(inode);
}

Inode Tree::find(std::string_view path) {
  Inode inode = kRootInode;
  while (!path.empty()) {
    const std::string_view name = take_part(path, '/');
    if (name.empty() || name == ".") continue;
    inode = name == ".." ? inodes_->parent(inode) : lookup(inode, name);
  }
  return inode;
}

timespec Tree::modified(Inode inode) {
  Sources& files = listing_.context.files;
  const auto modified_at = [&](const std::string& path) {
    struct stat status {};
    if (is_url(path)) return files.modified(path);
    return files.look(path, status) ? modified_time(status) : timespec{};
  };
  timespec latest{};
  for (const std::string& path : source_paths(inode)) {
    const timespec found = modified_at(path);
    if (std::tie(found.tv_sec, found.tv_nsec) > std::tie(latest.tv_sec, latest.tv_nsec)) latest = found;
  }
  return latest;
}

std::vector<std::string> Tree::source_paths(Inode inode) {
  std::string path = source_path(inode);
  if (path == top_.store->path) return places_of(*top_.store);
  return {std::move(path)};
}

std::string Tree::source_path(Inode inode) {
  for (; inode != kRootInode; inode = inodes_->parent(inode)) {
    if (inodes_->listed_part(inode)) continue;
    const DirectoryEntryPtr here = shown(inode);
    if (const std::string* const on_disk = host_path(*here)) return *on_disk;
  }
  return top_.store->path;
}

std::string Tree::store_path(Inode inode) {
  for (; inode != kRootInode; inode = inodes_->parent(inode)) {
    if (inodes_->listed_part(inode)) continue;
    const DirectoryEntryPtr here = shown(inode);
    if (!here->node().store.empty()) return here->node().store;
  }
  return top_.store->path;
}

Attributes Tree::attributes(Inode inode) {
  const FileKind of = kind(inode);
  if (of == FileKind::link) return {};
  const DirectoryEntryPtr known = shown(inode);
  return of == FileKind::directory ? own_attributes(directory_node(*known)) : attributes_of(known->node());
}

std::optional<Error> Tree::why_no_store(Inode inode) {
  const DirectoryEntryPtr known = shown(inode);
  const auto* file = std::get_if<PlainFile>(&known->node().content);
  return file ? file->no_store : std::nullopt;
}

Meaning Tree::meaning(Inode inode) {
  const bool is_folder = kind(inode) == FileKind::directory;
  const DirectoryEntryPtr known = shown(inode);
  Meaning meaning{is_folder ? directory_node(*known) : known->node(), known->member, &listing_.context};
  const DirectoryPlace place = place_of(is_folder ? inode : inodes_->parent(inode));
  meaning.store = place.store;
  meaning.is_store = is_folder && place.above.empty() && place.names.empty();
  meaning.identity = known->identity;
  meaning.pack = known->pack;
  if (!place.is_named) meaning.context = &listing_.context.of_store(place.store->path);
  return meaning;
}

const FileRow* Tree::row(Inode file) {
  return inodes_->listed_part(file) ? nullptr : shown(file)->identity.row;
}

std::string Tree::target(Inode link) {
  const DirectoryEntryPtr known = shown(link);
  if (known->fault) throw *known->fault;
  return known->target;
}

}  // namespace plainfs
