#include "fs/tree/tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "cache/cancellable_lock.h"
#include "formats/core/base/file_pool.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/model/transient_fault.h"
#include "formats/open_store.h"

namespace plainfs {
namespace {

// Whether it is a fault that may pass, or what it stands for has one.
bool has_transient_fault(const DirectoryEntry& shown) {
  return shown.error ? is_transient(*shown.error) : transient_fault(shown.node).has_value();
}

// Open at once in a folder of many; each that is opened again is read again.
constexpr size_t kMostInnerStores = 48;
constexpr size_t kDescriptorsAStore = 16;  // so few of all that there are go to inner stores

size_t most_inner_stores() {
  return std::clamp<size_t>(most_descriptors() / kDescriptorsAStore, 1, kMostInnerStores);
}

timespec modified_on_disk(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return modified_time(status);
}

// How long a listing stays that a fault has left something out of.
constexpr std::chrono::seconds kFaultIsKept{1};

const std::string* host_path(const DirectoryEntry& shown) {
  if (!shown.node.store.empty()) return &shown.node.store;
  const PlainFile* file = std::get_if<PlainFile>(&shown.node.content);
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

}  // namespace

Tree::Tree(StorePtr store, std::string_view subdir, ChosenViews views, Context& context,
           std::shared_ptr<Inodes> inodes, IndexFolderPtr index)
    : inodes_(std::move(inodes)),
      stores_(context, most_inner_stores(), [this](const std::string& path) { let_go(path); }),
      listing_{context, stores_, std::move(views)},
      indexes_(std::move(index), store->path, names_of(listing_.views), context),
      top_(top_of(std::move(store), subdir, listing_)) {
  Entry& root = add(kRootInode, FileKind::directory);
  root.own = std::make_shared<const DirectoryEntry>(top_.directory);
  root.is_made = top_.directory.is_made;
}

void Tree::add_hidden(const std::string& name, const std::vector<HiddenFile>& files) {
  const Inode directory = inodes_->of(kRootInode, name, FileKind::directory);
  DirectoryEntry hidden{name, FileKind::directory, {}, {}, {}};
  hidden.is_unlisted = true;
  {
    const WriterLock lock(mutex_);
    add(directory, FileKind::directory).own = std::make_shared<const DirectoryEntry>(std::move(hidden));
  }
  std::vector<DirectoryEntry> all;
  for (const HiddenFile& file : files) all.push_back({file.name, FileKind::file, {}, file.open, {}});
  const ContentsPtr contents = publish(directory, {std::move(all), {}, {}}, false);
  hidden_[name] = last_hidden_ = directory;
  for (const Listing::Entry& file : contents->listing->entries) {
    entry(file.inode).changes = true;
    last_hidden_ = std::max(last_hidden_, file.inode);
  }
}

void Tree::add_hidden_file(const HiddenFile& file) {
  const Inode inode = inodes_->of(kRootInode, file.name, FileKind::file);
  DirectoryEntry hidden{file.name, FileKind::file, {}, file.open, {}};
  hidden.is_unlisted = true;
  const WriterLock lock(mutex_);
  add(inode, FileKind::file).own = std::make_shared<const DirectoryEntry>(std::move(hidden));
  hidden_[file.name] = inode;
  last_hidden_ = std::max(last_hidden_, inode);
}

// Null where this opening has not met the inode.
Tree::Entry* Tree::met(Inode inode) const {
  return inode == 0 || inode > entries_.size() ? nullptr : entries_[inode - 1].get();
}

// What inode is, its directory listed where it is not yet. What is no constant of it is guarded by mutex_.
Tree::Entry& Tree::entry(Inode inode) {
  {
    const ReaderLock lock(mutex_);
    if (Entry* known = met(inode)) return *known;
  }
  const Inode parent = inodes_->parent(inode);
  if (const FoundFilesPtr found = found_in(parent)) {
    show_found(*found, inodes_->name(inode));
    meet_found(inode, parent);
  } else {
    contents(parent);
  }
  const ReaderLock lock(mutex_);
  if (Entry* known = met(inode)) return *known;
  throw not_found("{}: no longer in the store", inodes_->name(inode));
}

Tree::Entry& Tree::add(Inode inode, FileKind kind) {
  if (entries_.size() < inode) entries_.resize(inode);
  auto made = std::make_unique<Entry>();  // whole before another thread can meet it
  made->kind = kind;
  const Entry* const parent = met(inodes_->parent(inode));
  made->is_made = parent && parent->is_made;
  if (is_directory(kind)) made->directory = std::make_unique<Directory>();
  entries_[inode - 1] = std::move(made);
  return *entries_[inode - 1];
}

// Null where the directory is none whose files are found by their names.
FoundFilesPtr Tree::found_in(Inode inode) {
  const Entry& known = entry(inode);
  {
    const ReaderLock lock(mutex_);
    if (!known.directory || !known.directory->has_found) return nullptr;
  }
  return shown(inode)->found;
}

// Requires: directory has such a file.
void Tree::meet_found(Inode file, Inode directory) {
  const WriterLock lock(mutex_);
  if (met(file)) return;
  add(file, FileKind::file);
  met(directory)->directory->found.push_back(file);
}

// What the directory holds, listed where it is not. As long as it is held it is not let go.
Tree::ContentsPtr Tree::contents(Inode inode) {
  Directory* const directory = entry(inode).directory.get();
  {
    const ReaderLock lock(mutex_);
    if (directory && directory->contents && !directory->is_due()) return directory->contents;
  }
  if (kind(inode) != FileKind::directory) throw not_found("{}: no directory", inodes_->path(inode));
  if (inode != kRootInode) refresh(inodes_->parent(inode));
  const DirectoryEntryPtr here = shown(inode);
  const Node node = directory_node(*here);
  const DirectoryPlace place = place_of(inode);
  const CancellableLock listing(directory->listing_now);
  {
    const ReaderLock lock(mutex_);
    if (directory->contents && !directory->is_due()) return directory->contents;
  }
  Context& context = place.is_named ? listing_.context : listing_.context.of_store(place.store->path);
  return publish(inode, show_directory(*here, node, place, {context, stores_, listing_.views}),
                 is_url(place.store->path));
}

// Lists the directory anew where a fault has left something out of it. What is in it may stand for more by
// now.
void Tree::refresh(Inode inode) {
  {
    const ReaderLock lock(mutex_);
    const Entry* const known = met(inode);
    if (!known || !known->directory || !known->directory->contents || !known->directory->is_due()) return;
  }
  contents(inode);
}

// is_elsewhere: what is read of the store has to be fetched.
Tree::ContentsPtr Tree::publish(Inode directory, DirectoryContent all, bool is_elsewhere) {
  auto contents = std::make_shared<Contents>();
  auto listing = std::make_shared<Listing>();
  if (directory == kRootInode) {
    const ReaderLock lock(mutex_);
    for (const auto& [name, inode] : hidden_) all.shown.push_back(*held(inode));
  }
  const auto is_once = [](const DirectoryEntry& shown) { return !shown.is_unlisted; };
  const auto again = std::stable_partition(all.shown.begin(), all.shown.end(), is_once);
  const auto is_listed = [&](const DirectoryEntry& shown) {
    if (!is_elsewhere || !shown.is_sized_by_reading) return true;
    return shown.kind == FileKind::file && is_known_size(inodes_->of(directory, shown.name, shown.kind));
  };
  const auto unsized = std::stable_partition(all.shown.begin(), again, is_listed);
  listing->unsized = static_cast<size_t>(again - unsized);
  const auto listed = static_cast<size_t>(unsized - all.shown.begin());
  listing->entries.reserve(listed);
  contents->shown.reserve(all.shown.size());
  for (DirectoryEntry& shown : all.shown) {
    auto& entries = contents->shown.size() < listed ? listing->entries : listing->unlisted;
    entries.push_back(
        {shown.name, inodes_->of(directory, shown.name, shown.kind), shown.kind, shown.shows_again});
    contents->shown.push_back(std::make_shared<const DirectoryEntry>(std::move(shown)));
  }
  listing->is_of_parts = !all.found.empty();
  for (std::string& name : all.found) {
    const Inode inode = inodes_->of(directory, name, FileKind::file);
    listing->entries.push_back({std::move(name), inode, FileKind::file});
  }
  for (size_t i = 0; i < listing->size(); ++i) listing->index.emplace(listing->at(i).name, i);
  listing->unopened = std::move(all.unopened);
  contents->listing = std::move(listing);
  ContentsPtr before;  // freed behind the lock, as these are
  std::vector<std::shared_ptr<ViewFile>> forgotten;
  const bool is_whole =
      std::none_of(contents->shown.begin(), contents->shown.end(),
                   [](const DirectoryEntryPtr& shown) { return has_transient_fault(*shown); });
  const WriterLock lock(mutex_);
  for (size_t i = 0; i < contents->shown.size(); ++i) {
    const Inode inode = contents->listing->at(i).inode;
    if (met(inode)) continue;
    const std::string& store = contents->shown[i]->node.store;
    if (!store.empty() && !inner_roots_.contains(inode)) {
      inner_stores_[store].push_back(inode);
      inner_roots_.emplace(inode, store);
    }
    Entry& child = add(inode, contents->shown[i]->kind);
    child.is_made |= contents->shown[i]->is_made;
    if (child.directory) child.directory->has_found = contents->shown[i]->found != nullptr;
  }
  for (size_t i = contents->shown.size(); i < contents->listing->size(); ++i)
    if (!met(contents->listing->at(i).inode)) add(contents->listing->at(i).inode, FileKind::file);
  Directory& known = *met(directory)->directory;
  if (known.contents) forgotten = forget_faults(*known.contents);
  known.again = is_whole ? Clock::time_point::max() : Clock::now() + kFaultIsKept;
  known.listing = contents->listing;
  before = std::exchange(known.contents, contents);
  return contents;
}

// Views that would go on giving the error of a fault that has passed.
std::vector<std::shared_ptr<ViewFile>> Tree::forget_faults(const Contents& contents) {
  std::vector<std::shared_ptr<ViewFile>> forgotten;
  for (size_t i = 0; i < contents.shown.size(); ++i)
    if (has_transient_fault(*contents.shown[i]))
      forgotten.push_back(open_views_.let_go(contents.listing->at(i).inode));
  return forgotten;
}

// What inode stands for where that is at hand, else null.
Tree::DirectoryEntryPtr Tree::held(Inode inode) const {
  const Entry* const known = met(inode);
  if (known && known->own) return known->own;
  const Entry* const parent = met(inodes_->parent(inode));
  if (!parent || !parent->directory || !parent->directory->contents) return nullptr;
  const Contents& contents = *parent->directory->contents;
  const auto found = contents.listing->index.find(inodes_->name(inode));
  if (found == contents.listing->index.end() || contents.listing->at(found->second).inode != inode)
    return nullptr;
  return found->second < contents.shown.size() ? contents.shown[found->second] : nullptr;
}

Tree::DirectoryEntryPtr Tree::shown(Inode inode) {
  entry(inode);
  {
    const ReaderLock lock(mutex_);
    if (DirectoryEntryPtr known = held(inode)) return known;
  }
  const std::string name = inodes_->name(inode);
  if (const FoundFilesPtr files = found_in(inodes_->parent(inode)))
    return std::make_shared<const DirectoryEntry>(show_found(*files, name));
  const ContentsPtr all = contents(inodes_->parent(inode));
  const auto found = all->listing->index.find(name);
  if (found == all->listing->index.end() || all->listing->at(found->second).inode != inode)
    throw not_found("{}: no longer in the store", name);
  return all->shown[found->second];
}

FileKind Tree::kind(Inode inode) {
  const Entry& known = entry(inode);
  {
    const ReaderLock lock(mutex_);
    if (known.kind != FileKind::store) return known.kind;
  }
  settle(inode);
  const ReaderLock lock(mutex_);
  return known.kind;
}

// Finds out whether a store in a folder opens, and so whether it is a directory or what it is on disk. What
// keeps it from being read now says neither. A store that is looked up, listed beside others, is not opened
// where its first bytes tell.
void Tree::settle(Inode inode) {
  const DirectoryEntryPtr known = shown(inode);
  std::shared_ptr<DirectoryEntry> as_it_is;
  try {
    if (!is_sure_to_open(known->node.store, listing_.context)) stores_.open(known->node.store);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    listing_.context.warn(fmt::format("{}: shown as it is: {}", known->node.store, error.what()));
    as_it_is = std::make_shared<DirectoryEntry>(*known);
    as_it_is->kind = known->node.parts ? FileKind::directory : FileKind::file;
    as_it_is->node.store.clear();
    if (auto* file = std::get_if<PlainFile>(&as_it_is->node.content)) file->no_store = error;
    if (!known->node.parts) as_it_is->open = open_plain_file(as_it_is->node, listing_);
  }
  const WriterLock lock(mutex_);
  Entry& settled = *met(inode);
  if (settled.kind != FileKind::store) return;
  settled.kind = as_it_is ? as_it_is->kind : FileKind::directory;
  settled.own = std::move(as_it_is);
}

Node Tree::directory_node(const DirectoryEntry& shown) {
  if (shown.node.store.empty()) return shown.node;
  return as_root_directory(stores_.open(shown.node.store)->root, false);
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
    if (!here->node.store.empty()) {
      place.store = stores_.open(here->node.store);
      break;
    }
    place.names.push_back(here->name);
  }
  std::reverse(place.names.begin(), place.names.end());
  return place;
}

ListingPtr Tree::list(Inode inode) {
  const Entry& known = entry(inode);
  {
    const ReaderLock lock(mutex_);
    if (known.directory && known.directory->listing && !known.directory->is_due())
      return known.directory->listing;
  }
  return contents(inode)->listing;
}

// A file of a remote store that its directory cannot tell of.
std::optional<Inode> Tree::find_unlisted(Inode directory, std::string_view name) {
  const Node node = directory_node(*shown(directory));
  std::optional<Node> found = node.parts ? node.parts->find_unlisted(name) : std::nullopt;
  if (!found) return std::nullopt;
  const FileKind kind = found->parts ? FileKind::directory : FileKind::file;
  auto entry =
      std::make_shared<DirectoryEntry>(DirectoryEntry{std::string(name), kind, *std::move(found), {}, {}});
  if (kind == FileKind::file) entry->open = open_plain_file(entry->node, listing_);
  entry->is_unlisted = true;
  const Inode inode = inodes_->of(directory, std::string(name), kind);
  const WriterLock lock(mutex_);
  if (!met(inode)) add(inode, kind).own = std::move(entry);
  return inode;
}

Inode Tree::lookup(Inode directory, std::string_view name) {
  if (directory == kRootInode) {
    const auto hidden = hidden_.find(std::string(name));
    if (hidden != hidden_.end()) return hidden->second;
  }
  if (const FoundFilesPtr files = found_in(directory)) {
    const DirectoryEntry file = show_found(*files, std::string(name));
    const Inode inode = inodes_->of(directory, file.name, FileKind::file);
    meet_found(inode, directory);
    return inode;
  }
  const ListingPtr listing = list(directory);
  const auto found = listing->index.find(name);
  if (found == listing->index.end()) {
    if (const Error* fault = listing->unopened.unknown(name)) throw *fault;
    if (const std::optional<Inode> unlisted = find_unlisted(directory, name)) return *unlisted;
    throw not_found("there is no {}", name);
  }
  return listing->at(found->second).inode;
}

Inode Tree::find(std::string_view path) {
  Inode inode = kRootInode;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name.empty() || name == ".") continue;
    inode = name == ".." ? inodes_->parent(inode) : lookup(inode, name);
  }
  return inode;
}

timespec Tree::modified(Inode inode) {
  const std::string path = source_path(inode);
  return is_url(path) ? listing_.context.files.modified(path) : modified_on_disk(path);
}

std::string Tree::source_path(Inode inode) {
  entry(inode);
  const ReaderLock lock(mutex_);
  for (; inode != kRootInode; inode = inodes_->parent(inode)) {
    const DirectoryEntryPtr here = held(inode);
    if (const std::string* const on_disk = here ? host_path(*here) : nullptr) return *on_disk;
  }
  return top_.store->path;
}

std::string Tree::store_path(Inode inode) {
  entry(inode);
  const ReaderLock lock(mutex_);
  for (; inode != kRootInode; inode = inodes_->parent(inode)) {
    const DirectoryEntryPtr here = held(inode);
    if (here && !here->node.store.empty()) return here->node.store;
  }
  return top_.store->path;
}

Attributes Tree::attributes(Inode inode) {
  const FileKind of = kind(inode);
  if (of == FileKind::link) return {};
  const DirectoryEntryPtr known = shown(inode);
  return of == FileKind::directory ? own_attributes(directory_node(*known)) : attributes_of(known->node);
}

std::optional<Error> Tree::why_no_store(Inode inode) {
  const DirectoryEntryPtr known = shown(inode);
  const auto* file = std::get_if<PlainFile>(&known->node.content);
  return file ? file->no_store : std::nullopt;
}

Meaning Tree::meaning(Inode inode) {
  const bool is_folder = kind(inode) == FileKind::directory;
  const DirectoryEntryPtr known = shown(inode);
  Meaning meaning{is_folder ? directory_node(*known) : known->node, known->member, &listing_.context};
  const DirectoryPlace place = place_of(is_folder ? inode : inodes_->parent(inode));
  meaning.store = place.store;
  meaning.is_store = is_folder && place.above.empty() && place.names.empty();
  if (!place.is_named) meaning.context = &listing_.context.of_store(place.store->path);
  return meaning;
}

std::string Tree::target(Inode link) {
  const DirectoryEntryPtr known = shown(link);
  if (known->error) throw *known->error;
  return known->target;
}

// Forgets what everything in a store stands for, so that its files may be closed. Names, inodes and sizes
// stay.
void Tree::let_go(const std::string& store_path) {
  std::vector<ContentsPtr> freed;  // behind the lock, as the views are: their files are closed then
  std::vector<std::shared_ptr<ViewFile>> closed;
  const WriterLock lock(mutex_);
  const auto roots = inner_stores_.find(store_path);
  if (roots == inner_stores_.end()) return;  // only links lead there
  std::vector<Inode> left = roots->second;
  while (!left.empty()) {
    Directory* directory = met(left.back())->directory.get();
    left.pop_back();
    if (!directory) continue;
    for (const Inode file : directory->found)
      if (auto view = open_views_.let_go(file)) closed.push_back(std::move(view));
    if (!directory->listing) continue;
    freed.push_back(std::move(directory->contents));
    for (size_t i = 0; i < directory->listing->size(); ++i) {
      const Inode child = directory->listing->at(i).inode;
      if (auto view = open_views_.let_go(child)) closed.push_back(std::move(view));
      left.push_back(child);
    }
  }
}

}  // namespace plainfs
