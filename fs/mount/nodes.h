// What the kernel calls a file: its inode or, where the size was not known when the name was looked up, a
// number of that lookup's own. An answer without a size must not reach a node that is in use: while one
// process waits for the size and another looks up the name, the kernel would take the size, which was asked
// for earlier, for out of date, and the first process would find an end at 0 (Linux,
// fuse_change_attributes()). The numbers that stat() shows are the inodes.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "fs/tree/inodes.h"

namespace plainfs {

using NodeNumber = uint64_t;  // libfuse's fuse_ino_t

inline Inode inode_of(NodeNumber node) {
  return node & UINT32_MAX;
}

// Thread-safe.
class Nodes {
 public:
  // For the answer of one lookup of a file whose size is not known.
  NodeNumber another(Inode file) {
    return static_cast<NodeNumber>(++lookups_) << 32 | file;  // used again after 4 billion of them
  }

  // Of the file handles that are open; only others than inodes are kept.
  void opened(NodeNumber node);
  void closed(NodeNumber node);
  std::vector<NodeNumber> others_open() const;

 private:
  std::atomic<uint32_t> lookups_{0};  // relaxed: only to differ
  mutable std::mutex mutex_;          // guards open_
  std::map<NodeNumber, size_t> open_;
};

}  // namespace plainfs
