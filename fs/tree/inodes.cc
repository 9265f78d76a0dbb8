#include "fs/tree/inodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/core/base/error.h"

namespace plainfs {
namespace {

// FUSE's nodes have 32 bits for an inode (fs/mount/fuse.h). Names use the lower half, parts the upper one.
constexpr Inode kFirstPart = Inode{1} << 31, kEnd = Inode{1} << 32;

thread_local Inodes::Visit* visit_of_this_thread = nullptr;

}  // namespace

Inodes::Visit::Visit(Inodes& inodes) : inodes_(inodes), before_(visit_of_this_thread) {
  visit_of_this_thread = this;
}

// Several visits may end in any order.
Inodes::Visit::~Visit() {
  Visit** at = &visit_of_this_thread;
  while (*at != this) at = &(*at)->before_;
  *at = before_;
  if (given_.empty()) return;
  const WriterLock lock(inodes_.mutex_);
  for (const Inode inode : given_) inodes_.release_now(inode, 1);
}

Inodes::Inodes() : next_range_(kFirstPart) {
  known_.emplace(kRootInode, Known{kRootInode, "", FileKind::directory, 1});
}

Inode Inodes::of(Inode parent, const std::string& name, FileKind kind) {
  const WriterLock lock(mutex_);
  const Inode inode = find_or_add(parent, name, kind);
  give_now(inode);
  return inode;
}

Inode Inodes::listed(Inode parent, const std::string& name, FileKind kind) {
  const WriterLock lock(mutex_);
  const Inode inode = find_or_add(parent, name, kind);
  give_now(inode);
  hold_now(inode, 1);
  return inode;
}

Inode Inodes::find_or_add(Inode parent, const std::string& name, FileKind kind) {
  if (const auto found = by_name_.find({parent, name, kind}); found != by_name_.end()) return found->second;
  const Inode inode = new_inode();
  const auto [added, is_new] = known_.emplace(inode, Known{parent, name, kind});
  try {
    by_name_.emplace(Key{parent, added->second.name, kind}, inode);
  } catch (...) {
    known_.erase(added);
    throw;
  }
  hold_now(parent, 1);
  return inode;
}

// Numbers are reused when all have been assigned, which takes days of doing nothing else.
Inode Inodes::new_inode() {
  if (known_.size() >= kFirstPart - 2) throw unsupported("more than {} names in use at once", known_.size());
  while (next_ >= kFirstPart || known_.contains(next_))
    next_ = next_ >= kFirstPart ? kRootInode + 1 : next_ + 1;
  return next_++;
}

Inode Inodes::listed_parts(Inode directory, uint64_t owner, uint64_t count) {
  const WriterLock lock(mutex_);
  const Inode first = find_or_add_range(directory, owner, count);
  give_now(first);
  hold_now(first, 1);
  return first;
}

Inode Inodes::part(Inode directory, uint64_t owner, uint64_t count, uint64_t place) {
  const WriterLock lock(mutex_);
  const Inode inode = find_or_add_range(directory, owner, count) + place;
  give_now(inode);
  return inode;
}

Inode Inodes::find_or_add_range(Inode directory, uint64_t owner, uint64_t count) {
  const std::pair<Inode, uint64_t> key(directory, owner);
  const auto found = range_by_directory_.find(key);
  if (found != range_by_directory_.end() && ranges_.at(found->second).count == count) return found->second;
  known(directory);
  const Inode first = new_range(count);
  ranges_.emplace(first, Range{directory, owner, count});
  try {
    range_by_directory_[key] = first;
  } catch (...) {
    ranges_.erase(first);
    throw;
  }
  hold_now(directory, 1);
  return first;
}

Inode Inodes::new_range(uint64_t count) {
  const uint64_t size = count == 0 ? 1 : count;
  const auto is_free = [&](Inode first) REQUIRES(mutex_) {
    if (first + size > kEnd) return false;
    const auto behind = ranges_.lower_bound(first);
    if (behind != ranges_.end() && behind->first < first + size) return false;
    return range_of(first) == ranges_.end();
  };
  Inode first = next_range_;
  if (!is_free(first)) {
    first = kFirstPart;
    for (auto range = ranges_.begin(); !is_free(first) && range != ranges_.end(); ++range)
      first = range->first + std::max<uint64_t>(range->second.count, 1);
    if (!is_free(first)) throw unsupported("{} names of parts in a directory are too many at once", count);
  }
  next_range_ = first + size;
  return first;
}

uint64_t Inodes::new_owner() {
  const WriterLock lock(mutex_);
  return next_owner_++;
}

Inode Inodes::give(Inode inode) {
  const WriterLock lock(mutex_);
  give_now(inode);
  return inode;
}

// An inode assigned outside a visit is held forever.
void Inodes::give_now(Inode inode) {
  Visit* visit = visit_of_this_thread;
  while (visit && &visit->inodes_ != this) visit = visit->before_;
  if (visit) visit->given_.push_back(inode);
  try {
    hold_now(inode, 1);
  } catch (...) {
    if (visit) visit->given_.pop_back();
    throw;
  }
}

void Inodes::hold(Inode inode, uint64_t times) {
  const WriterLock lock(mutex_);
  hold_now(inode, times);
}

void Inodes::release(Inode inode, uint64_t times) {
  const WriterLock lock(mutex_);
  release_now(inode, times);
}

void Inodes::hold_now(Inode inode, uint64_t times) {
  if (inode >= kFirstPart) {
    const auto range = range_of(inode);
    if (range == ranges_.end()) throw not_found("inode {} does not exist", inode);
    ranges_.at(range->first).holds += times;
    return;
  }
  const auto found = known_.find(inode);
  if (found == known_.end()) throw not_found("inode {} does not exist", inode);
  found->second.holds += times;
}

// Releasing the last name in a directory may release the directory too, and so on upwards.
void Inodes::release_now(Inode inode, uint64_t times) {
  for (Inode at = inode; at != kRootInode; times = 1) {
    Inode above = kRootInode;
    if (at >= kFirstPart) {
      const auto found = range_of(at);
      if (found == ranges_.end()) return;
      Range& range = ranges_.at(found->first);
      range.holds -= std::min(times, range.holds);
      if (range.holds > 0) return;
      above = range.directory;
      const auto by_directory = range_by_directory_.find({range.directory, range.owner});
      if (by_directory != range_by_directory_.end() && by_directory->second == found->first)
        range_by_directory_.erase(by_directory);
      ranges_.erase(found);
    } else {
      const auto found = known_.find(at);
      if (found == known_.end()) return;
      Known& name = found->second;
      name.holds -= std::min(times, name.holds);
      if (name.holds > 0) return;
      above = name.parent;
      by_name_.erase({name.parent, name.name, name.kind});
      known_.erase(found);
    }
    at = above;
  }
}

Inodes::Ranges::const_iterator Inodes::range_of(Inode inode) const {
  auto behind = ranges_.upper_bound(inode);
  if (behind == ranges_.begin()) return ranges_.end();
  --behind;
  return inode < behind->first + std::max<uint64_t>(behind->second.count, 1) ? behind : ranges_.end();
}

const Inodes::Known& Inodes::known(Inode inode) const {
  const auto found = known_.find(inode);
  if (found == known_.end()) throw not_found("inode {} does not exist", inode);
  return found->second;
}

bool Inodes::knows(Inode inode) const {
  const ReaderLock lock(mutex_);
  return inode >= kFirstPart ? range_of(inode) != ranges_.end() : known_.contains(inode);
}

std::optional<Inode> Inodes::known_parent(Inode inode) const {
  const ReaderLock lock(mutex_);
  if (inode >= kFirstPart) {
    const auto range = range_of(inode);
    return range == ranges_.end() ? std::nullopt : std::optional(range->second.directory);
  }
  const auto found = known_.find(inode);
  return found == known_.end() ? std::nullopt : std::optional(found->second.parent);
}

std::optional<ListedPart> Inodes::listed_part(Inode inode) const {
  if (inode < kFirstPart) return std::nullopt;
  const ReaderLock lock(mutex_);
  const auto range = range_of(inode);
  if (range == ranges_.end()) throw not_found("inode {} does not exist", inode);
  return ListedPart{range->second.directory, range->second.owner, inode - range->first};
}

Inode Inodes::parent(Inode inode) const {
  if (const std::optional<ListedPart> part = listed_part(inode)) return part->directory;
  const ReaderLock lock(mutex_);
  return known(inode).parent;
}

FileKind Inodes::kind(Inode inode) const {
  if (listed_part(inode)) return FileKind::file;
  const ReaderLock lock(mutex_);
  return known(inode).kind;
}

std::string Inodes::name(Inode inode) const {
  if (const std::optional<ListedPart> part = listed_part(inode)) return fmt::format("#{}", part->place);
  const ReaderLock lock(mutex_);
  return known(inode).name;
}

std::string Inodes::path(Inode inode) const {
  std::string path;
  if (const std::optional<ListedPart> part = listed_part(inode)) {
    path = fmt::format("/#{}", part->place);
    inode = part->directory;
  }
  const ReaderLock lock(mutex_);
  for (; inode != kRootInode; inode = known(inode).parent) path = "/" + known(inode).name + path;
  return path.empty() ? "/" : path;
}

Inodes::Statistics Inodes::statistics() const {
  const ReaderLock lock(mutex_);
  Statistics statistics{known_.size(), 0};
  for (const auto& [first, range] : ranges_) statistics.parts += range.count;
  return statistics;
}

std::vector<Inodes::Named> Inodes::all() const {
  std::vector<Named> all;
  const ReaderLock lock(mutex_);
  all.reserve(known_.size());
  for (const auto& [inode, name] : known_)
    if (inode != kRootInode) all.push_back({inode, name.parent, name.name});
  return all;
}

}  // namespace plainfs
