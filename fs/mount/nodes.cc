#include "fs/mount/nodes.h"

namespace plainfs {

void Nodes::opened(NodeNumber node) {
  if (node == inode_of(node)) return;
  const std::lock_guard lock(mutex_);
  ++open_[node];
}

void Nodes::closed(NodeNumber node) {
  if (node == inode_of(node)) return;
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(node);
  if (found != open_.end() && --found->second == 0) open_.erase(found);
}

std::vector<NodeNumber> Nodes::others_open() const {
  const std::lock_guard lock(mutex_);
  std::vector<NodeNumber> nodes;
  for (const auto& [node, handles] : open_) nodes.push_back(node);
  return nodes;
}

}  // namespace plainfs
