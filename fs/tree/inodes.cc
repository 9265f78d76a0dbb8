#include "fs/tree/inodes.h"

#include "formats/core/base/error.h"

namespace plainfs {

Inodes::Inodes() {
  known_.push_back({kRootInode, ""});
}

Inode Inodes::of(Inode parent, const std::string& name, FileKind kind) {
  const WriterLock lock(mutex_);
  if (const auto found = by_name_.find({parent, name, kind}); found != by_name_.end()) return found->second;
  known_.push_back({parent, name});
  const Inode inode = known_.size();
  by_name_.emplace(Key{parent, known_.back().name, kind}, inode);
  return inode;
}

const Inodes::Known& Inodes::known(Inode inode) const {
  if (inode == 0 || inode > known_.size()) throw not_found("inode {}: there is none", inode);
  return known_[inode - 1];
}

Inode Inodes::parent(Inode inode) const {
  const ReaderLock lock(mutex_);
  return known(inode).parent;
}

std::string Inodes::name(Inode inode) const {
  const ReaderLock lock(mutex_);
  return known(inode).name;
}

std::string Inodes::path(Inode inode) const {
  const ReaderLock lock(mutex_);
  std::string path;
  for (; inode != kRootInode; inode = known(inode).parent) path = "/" + known(inode).name + path;
  return path.empty() ? "/" : path;
}

Inode Inodes::count() const {
  const ReaderLock lock(mutex_);
  return known_.size();
}

}  // namespace plainfs
