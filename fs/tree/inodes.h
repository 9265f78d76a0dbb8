// The names under the mountpoint, each with its inode. An inode is given once, when its directory is first
// listed, and never used for anything else: what it stands for may be let go and come back, and the store may
// be opened anew, with the same names under the same inodes. So nothing parses a path, and what the kernel
// remembers stays true.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cache/mutex.h"

namespace plainfs {

using Inode = uint64_t;
inline constexpr Inode kRootInode = 1;

enum class FileKind : uint8_t {
  directory,
  file,
  link,
  store,  // a store in a mirrored folder: a directory if it opens, else what it is on disk
};

// Thread-safe. All but of() throw not_found for an inode that was never given.
class Inodes {
 public:
  Inodes();

  // The inode of name in a directory, given now where it has none. The same name is another inode where it is
  // of another kind: the kernel takes it ill when a file becomes a directory.
  Inode of(Inode parent, const std::string& name, FileKind kind);

  Inode parent(Inode inode) const;  // of the root: itself
  std::string name(Inode inode) const;
  // Below the root: "/a/b.csv"; "/" for the root.
  std::string path(Inode inode) const;
  // How many there are: 1 to count.
  Inode count() const;

 private:
  struct Known {
    Inode parent;
    std::string name;
  };
  struct Key {
    Inode parent;
    std::string_view name;  // lives in known_
    FileKind kind;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.name) ^
             (key.parent * 4 + static_cast<size_t>(key.kind)) * 0x9e3779b97f4a7c15u;
    }
  };
  const Known& known(Inode inode) const REQUIRES_SHARED(mutex_);

  mutable SharedMutex mutex_;
  std::deque<Known> known_ GUARDED_BY(mutex_);  // inode 1 first
  std::unordered_map<Key, Inode, KeyHash> by_name_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
