#include "fs/mount/nodes.h"

#include "cache/mutex.h"

namespace plainfs {

void Nodes::opened(NodeNumber node) {
  const MutexLock lock(mutex_);
  ++open_[node];
}

void Nodes::closed(NodeNumber node) {
  const MutexLock lock(mutex_);
  const auto found = open_.find(node);
  if (found != open_.end() && --found->second == 0) open_.erase(found);
}

std::vector<NodeNumber> Nodes::open_before(uint64_t opening) const {
  const MutexLock lock(mutex_);
  std::vector<NodeNumber> nodes;
  for (const auto& [node, handles] : open_)
    if (!is_of(node, opening)) nodes.push_back(node);
  return nodes;
}

}  // namespace plainfs
