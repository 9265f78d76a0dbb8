#include "fs/tree/tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "formats/base/modified_time.h"
#include "fs/tree/passing_faults.h"

namespace plainfs {
namespace {

constexpr size_t kMostInnerStores = 48;  // each may hold a file of the HDF5 library open
constexpr size_t kMostOpenViews = 1024;
constexpr uint64_t kLargestFile = std::numeric_limits<off_t>::max();

timespec modified_on_disk(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return modified_time(status);
}

// How long a listing stays that a fault has left something out of.
constexpr std::chrono::seconds kFaultIsKept{1};

const std::string* host_path(const Shown& shown) {
  if (!shown.node.store.empty()) return &shown.node.store;
  const PlainFile* file = std::get_if<PlainFile>(&shown.node.content);
  return file ? &file->path : nullptr;
}

}  // namespace

Tree::Tree(Top top, std::vector<const View*> views, Context& context)
    : stores_(context, kMostInnerStores, [this](const std::string& path) { let_go(path); }),
      shelf_{context, stores_, std::move(views)},
      top_(std::move(top)) {
  append(kRootInode, Shown{"", FileKind::directory, top_.node, {}, {}});
}

Top Tree::top_of(StorePtr store, std::string_view subdir, std::vector<const View*> views, Context& context) {
  Top whole{store, {}, as_root_directory(store->root, true)};
  if (subdir.empty()) return whole;
  Tree tree(std::move(whole), std::move(views), context);
  const Inode inode = tree.find(subdir);
  if (tree.kind(inode) != FileKind::directory) throw not_found("{}: no directory", subdir);
  Place place = tree.place_of(inode);
  return {std::move(place.store), std::move(place.names), tree.directory_node(*tree.shown(inode))};
}

void Tree::add_hidden(const std::string& name, std::vector<HiddenFile> files) {
  const Inode inode = append(kRootInode, Shown{name, FileKind::directory, {}, {}, {}});
  hidden_[name] = inode;
  std::vector<Shown> all;
  for (HiddenFile& file : files) all.push_back({file.name, FileKind::file, {}, std::move(file.open), {}});
  publish(inode, std::move(all));
  for (const Listing::Entry& file : entry(inode).directory->listing->entries)
    entry(file.inode).changes = true;
  last_hidden_ = entries_.size();
}

Tree::Entry& Tree::entry(Inode inode) {
  if (inode == 0 || inode > entries_.size()) throw not_found("inode {}: there is none", inode);
  return entries_[inode - 1];
}

const Tree::Entry& Tree::entry(Inode inode) const {
  return const_cast<Tree*>(this)->entry(inode);
}

Inode Tree::append(Inode parent, Shown shown) {
  Entry& entry = entries_.emplace_back();
  const Inode inode = entries_.size();
  entry.parent = parent;
  entry.name = shown.name;
  entry.kind = shown.kind;
  if (shown.kind == FileKind::directory || shown.kind == FileKind::store)
    entry.directory = std::make_unique<Directory>();
  if (!shown.node.store.empty()) inner_stores_[shown.node.store].push_back(inode);
  entry.shown = std::make_shared<const Shown>(std::move(shown));
  return inode;
}

Tree::ShownPtr Tree::shown(Inode inode) {
  Inode parent = 0;
  {
    const std::shared_lock lock(mutex_);
    const Entry& known = entry(inode);
    if (known.shown) return known.shown;
    parent = known.parent;
  }
  load(parent);
  const std::shared_lock lock(mutex_);
  ShownPtr shown = entry(inode).shown;
  if (!shown) throw not_found("{}: no longer in the store", entry(inode).name);
  return shown;
}

// Finds out whether a store in a folder opens, and so whether it is a directory or what it is on disk.
Tree::ShownPtr Tree::settle(Inode inode, const ShownPtr& shown) {
  auto settled = std::make_shared<Shown>(*shown);
  settled->kind = FileKind::directory;
  try {
    stores_.open(shown->node.store);
  } catch (const Error& error) {
    shelf_.context.warn(fmt::format("{}: shown as it is: {}", shown->node.store, error.what()));
    settled->node.store.clear();
    if (!settled->node.parts) {
      settled->kind = FileKind::file;
      settled->open = open_plain_file(settled->node, shelf_);
    }
  }
  const std::unique_lock lock(mutex_);
  Entry& known = entry(inode);
  if (known.kind == FileKind::store) {
    known.kind = settled->kind;
    known.shown = std::move(settled);
  }
  return known.shown ? known.shown : shown;
}

FileKind Tree::kind(Inode inode) {
  {
    const std::shared_lock lock(mutex_);
    const Entry& known = entry(inode);
    const bool is_current = known.shown || entry(known.parent).directory->current;
    if (known.kind != FileKind::store && is_current) return known.kind;
  }
  const ShownPtr known = shown(inode);
  if (known->kind != FileKind::store) return known->kind;
  settle(inode, known);
  const std::shared_lock lock(mutex_);
  return entry(inode).kind;
}

Node Tree::directory_node(const Shown& shown) {
  if (shown.node.store.empty()) return shown.node;
  return as_root_directory(stores_.open(shown.node.store)->root, false);
}

Place Tree::place_of(Inode directory) {
  Place place;
  for (Inode at = directory;;) {
    if (at == kRootInode) {
      const std::shared_lock lock(mutex_);
      place.store = top_.store;
      place.above = top_.above;
      place.is_named = true;
      place.is_top = place.names.empty();
      break;
    }
    const ShownPtr here = shown(at);
    if (!here->node.store.empty()) {
      place.store = stores_.open(here->node.store);
      break;
    }
    place.names.push_back(here->name);
    at = parent(at);
  }
  std::reverse(place.names.begin(), place.names.end());
  return place;
}

void Tree::load(Inode inode) {
  if (kind(inode) != FileKind::directory) throw not_found("{}: no directory", path(inode));
  const Node node = directory_node(*shown(inode));
  const Place place = place_of(inode);
  Directory* directory = nullptr;
  {
    const std::shared_lock lock(mutex_);
    directory = entry(inode).directory.get();
  }
  const std::lock_guard listing(directory->listing_now);
  {
    const std::shared_lock lock(mutex_);
    if (directory->current && directory->loaded && !directory->is_due()) return;
  }
  Context& context = place.is_named ? shelf_.context : shelf_.context.of_store(place.store->path);
  std::vector<Shown> all = show_directory(node, place, {context, stores_, shelf_.views});
  const std::unique_lock lock(mutex_);
  publish(inode, std::move(all));
}

void Tree::publish(Inode inode, std::vector<Shown> all) {
  Directory& directory = *entry(inode).directory;
  const ListingPtr before = std::move(directory.listing);
  auto listing = std::make_shared<Listing>();
  listing->entries.reserve(all.size());
  const bool is_whole = std::none_of(all.begin(), all.end(), has_passing_fault);
  for (Shown& shown : all) {
    Listing::Entry made{shown.name, 0, shown.kind};
    if (before) {
      const auto old = before->index.find(shown.name);
      const bool is_same = old != before->index.end() && before->entries[old->second].kind == shown.kind;
      if (is_same && shown.kind != FileKind::store) {  // what a store turns out to be may differ
        made.inode = before->entries[old->second].inode;
      }
    }
    if (made.inode == 0) {
      made.inode = append(inode, std::move(shown));
    } else {
      Entry& known = entry(made.inode);
      if (known.shown && has_passing_fault(*known.shown)) known.view.reset();
      known.shown = std::make_shared<const Shown>(std::move(shown));
    }
    listing->entries.push_back(std::move(made));
  }
  for (size_t i = 0; i < listing->entries.size(); ++i) listing->index.emplace(listing->entries[i].name, i);
  directory.listing = std::move(listing);
  directory.current = true;
  directory.loaded = true;
  directory.again = is_whole ? std::chrono::steady_clock::time_point::max()
                             : std::chrono::steady_clock::now() + kFaultIsKept;
}

ListingPtr Tree::list(Inode inode) {
  {
    const std::shared_lock lock(mutex_);
    const Entry& known = entry(inode);
    if (known.directory && known.directory->current && !known.directory->is_due())
      return known.directory->listing;
  }
  load(inode);
  const std::shared_lock lock(mutex_);
  return entry(inode).directory->listing;
}

Inode Tree::lookup(Inode directory, std::string_view name) {
  if (directory == kRootInode) {
    const auto hidden = hidden_.find(std::string(name));
    if (hidden != hidden_.end()) return hidden->second;
  }
  const ListingPtr listing = list(directory);
  const auto found = listing->index.find(name);
  if (found == listing->index.end()) throw not_found("there is no {}", name);
  return listing->entries[found->second].inode;
}

Inode Tree::find(std::string_view path) {
  Inode inode = kRootInode;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name.empty() || name == ".") continue;
    inode = name == ".." ? parent(inode) : lookup(inode, name);
  }
  return inode;
}

Inode Tree::parent(Inode inode) const {
  const std::shared_lock lock(mutex_);
  return entry(inode).parent;
}

std::string Tree::name(Inode inode) const {
  const std::shared_lock lock(mutex_);
  return entry(inode).name;
}

std::string Tree::path(Inode inode) const {
  const std::shared_lock lock(mutex_);
  std::string path;
  for (; inode != kRootInode; inode = entry(inode).parent) path = "/" + entry(inode).name + path;
  return path.empty() ? "/" : path;
}

timespec Tree::modified(Inode inode) {
  return modified_on_disk(source_path(inode));
}

std::string Tree::source_path(Inode inode) const {
  const std::shared_lock lock(mutex_);
  for (; inode != kRootInode; inode = entry(inode).parent) {
    const ShownPtr& shown = entry(inode).shown;
    if (const std::string* const on_disk = shown ? host_path(*shown) : nullptr) return *on_disk;
  }
  return top_.store->path;
}

std::string Tree::store_path(Inode inode) const {
  const std::shared_lock lock(mutex_);
  for (; inode != kRootInode; inode = entry(inode).parent) {
    const ShownPtr& shown = entry(inode).shown;
    if (shown && !shown->node.store.empty()) return shown->node.store;
  }
  return top_.store->path;
}

Attributes Tree::attributes(Inode inode) {
  if (kind(inode) == FileKind::link) return {};
  const ShownPtr known = shown(inode);
  if (kind(inode) == FileKind::directory) return own_attributes(directory_node(*known));
  return attributes_of(known->node);
}

std::string Tree::target(Inode link) {
  const ShownPtr known = shown(link);
  if (known->error) throw *known->error;
  return known->target;
}

bool Tree::changes(Inode file) const {
  const std::shared_lock lock(mutex_);
  return entry(file).changes;
}

std::shared_ptr<ViewFile> Tree::view(Inode file) {
  bool is_fixed = true;
  {
    const std::shared_lock lock(mutex_);
    Entry& known = entry(file);
    if (known.view) {
      known.is_used.store(true, std::memory_order_relaxed);
      return known.view;
    }
    is_fixed = !known.changes;
  }
  if (kind(file) != FileKind::file) throw not_found("{}: no file", path(file));
  std::shared_ptr<ViewFile> view = shown(file)->open();
  return is_fixed ? keep(file, std::move(view)) : view;
}

// The view that all share: the one given, or one that was opened at the same time.
std::shared_ptr<ViewFile> Tree::keep(Inode file, std::shared_ptr<ViewFile> view) {
  const std::unique_lock lock(mutex_);
  Entry& known = entry(file);
  if (known.view) return known.view;
  if (known.offsets) view->adopt(known.offsets);
  known.view = view;
  open_views_.push_back(file);
  close_some_views();
  return view;
}

// Those that nobody has open and nobody has asked for since they were last looked at. Requires: mutex_ is
// held.
void Tree::close_some_views() {
  for (size_t tries = 2 * open_views_.size(); open_views_.size() > kMostOpenViews && tries > 0; --tries) {
    const Inode file = open_views_.front();
    open_views_.pop_front();
    Entry& known = entry(file);
    if (known.view.use_count() > 1 || known.is_used.exchange(false, std::memory_order_relaxed))
      open_views_.push_back(file);
    else
      known.view.reset();
  }
}

uint64_t Tree::size(Inode file) {
  {
    const std::shared_lock lock(mutex_);
    if (entry(file).size) return *entry(file).size;
  }
  const std::shared_ptr<ViewFile> of = view(file);
  const uint64_t size = of->size();
  remember_size(file, size, *of);
  return size;
}

std::optional<uint64_t> Tree::known_size(Inode file) {
  {
    const std::shared_lock lock(mutex_);
    if (entry(file).size) return entry(file).size;
  }
  const std::shared_ptr<ViewFile> of = view(file);
  const std::optional<uint64_t> size = of->known_size();
  if (size) remember_size(file, *size, *of);
  return size;
}

void Tree::remember_size(Inode file, uint64_t size, const ViewFile& view) {
  if (size > kLargestFile) throw unsupported("a file of {} bytes is too large to be shown", size);
  const std::unique_lock lock(mutex_);
  Entry& known = entry(file);
  if (known.changes) return;
  known.size = size;
  known.offsets = view.offsets();
}

// Forgets what everything in a store stands for, so that its files may be closed. Names, inodes and sizes
// stay.
void Tree::let_go(const std::string& store_path) {
  const std::unique_lock lock(mutex_);
  const auto roots = inner_stores_.find(store_path);
  if (roots == inner_stores_.end()) return;  // only links lead there
  std::vector<Inode> left = roots->second;
  while (!left.empty()) {
    Directory* directory = entry(left.back()).directory.get();
    left.pop_back();
    if (!directory || !directory->listing) continue;
    directory->loaded = false;
    for (const Listing::Entry& child : directory->listing->entries) {
      Entry& known = entry(child.inode);
      known.shown.reset();
      if (known.view.use_count() == 1) known.view.reset();  // else whoever opens it next shares it
      left.push_back(child.inode);
    }
  }
}

void Tree::reopen(Top top) {
  stores_.forget();
  const std::unique_lock lock(mutex_);
  top_ = std::move(top);
  inner_stores_.clear();
  open_views_.clear();
  for (Inode inode = 1; inode <= entries_.size(); ++inode) {
    Entry& known = entry(inode);
    if (is_hidden(inode)) continue;
    known.view.reset();
    known.size.reset();
    known.offsets.reset();
    known.shown.reset();
    if (known.directory) known.directory->current = known.directory->loaded = false;
  }
  entry(kRootInode).shown = std::make_shared<const Shown>(Shown{"", FileKind::directory, top_.node, {}, {}});
}

Inode Tree::count() const {
  const std::shared_lock lock(mutex_);
  return entries_.size();
}

}  // namespace plainfs
