// What the kernel calls a file. A node belongs to one opening of the store: after a reopening the kernel
// knows the file by another one, and who comes with the old one is told to look its name up again (ESTALE),
// so that sizes and pages of the two never meet. And where the size was not known when the name was looked
// up, the node is of that lookup alone: an answer without a size must not reach a node that is in use. (While
// one process waits for the size and another looks up the name, the kernel would take the size, which was
// asked for earlier, for out of date, and the first process would find an end at 0: Linux,
// fuse_change_attributes(). Invalidating a node does the same to whoever waits.) The numbers that stat()
// shows are the inodes; those of directories are their nodes.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

#include "cache/mutex.h"
#include "fs/tree/inodes.h"

namespace plainfs {

using NodeNumber = uint64_t;  // libfuse's fuse_ino_t: 32 bits of inode, 20 of lookup, 12 of opening

inline Inode inode_of(NodeNumber node) {
  return node & UINT32_MAX;
}

// Thread-safe.
class Nodes {
 public:
  // For the answer of one lookup of a file, by what its size, if it is known, was known from.
  NodeNumber of(Inode file, uint64_t opening, bool has_size) {
    const uint64_t lookup = has_size ? 0 : ++lookups_ % kLookups + 1;
    return opening % kOpenings << 52 | lookup << 32 | file;
  }
  static bool is_of(NodeNumber node, uint64_t opening) { return node >> 52 == opening % kOpenings; }

  // Of the file handles that are open.
  void opened(NodeNumber node);
  void closed(NodeNumber node);
  // Those of other openings than this one.
  std::vector<NodeNumber> open_before(uint64_t opening) const;

 private:
  static constexpr uint64_t kLookups = (1 << 20) - 1, kOpenings = 1 << 12;  // then numbers come again

  std::atomic<uint64_t> lookups_{0};  // relaxed: only to differ
  mutable Mutex mutex_;
  std::map<NodeNumber, size_t> open_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
