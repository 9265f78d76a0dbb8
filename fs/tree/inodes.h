// The names under the mountpoint, each with its inode. While a name has an inode, the inode stands for
// nothing else. Its object may be dropped and loaded again, and the store may be reopened, with the same
// names under the same inodes. So no code parses paths, and what the kernel remembers stays valid.
//
// A name loses its inode when its last holder releases it. Holders are the kernel (by its lookups), listings,
// visits and the names below it. The parts of a directory, of which there may be millions, need no names
// here: the directory has a range of inodes, and each listed part has the inode of its place in the range.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cache/mutex.h"

namespace plainfs {

using Inode = uint64_t;
inline constexpr Inode kRootInode = 1;

enum class FileKind : uint8_t {
  directory,
  file,
  link,
  store,  // a store in a mirrored folder: a directory if it opens, otherwise the file or folder on disk
};

// A part in the listing of a directory.
struct ListedPart {
  Inode directory = 0;
  uint64_t owner = 0;  // of the range, as passed to part()
  uint64_t place = 0;  // in the listing, from 0
};

// A map between names and inodes. Thread-safe. All functions except of() and those that hold or release throw
// not_found for an inode that was never assigned or was released.
class Inodes {
 public:
  // Holds every inode assigned to its thread, until it ends. An inode assigned outside a visit is kept
  // forever.
  class Visit {
   public:
    explicit Visit(Inodes& inodes);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    friend class Inodes;
    Inodes& inodes_;
    Visit* before_;  // the outer visit of the same thread
    std::vector<Inode> given_;
  };

  Inodes();

  // Returns the inode of `name` in a directory; assigns one if it has none. The same name has a different
  // inode for each kind, because the kernel does not accept that a file becomes a directory.
  Inode of(Inode parent, const std::string& name, FileKind kind);
  // Like of(), and holds the inode once more, for a listing.
  Inode listed(Inode parent, const std::string& name, FileKind kind);
  // Returns the first inode of a directory's range of `count` parts and holds the range once more, for a
  // listing. `owner` identifies the object that names the parts, so that another opening of the store has its
  // own range. Throws unsupported while too many parts are in use.
  Inode listed_parts(Inode directory, uint64_t owner, uint64_t count);
  // Returns the inode of one of these parts.
  Inode part(Inode directory, uint64_t owner, uint64_t count, uint64_t place);
  // Returns a number that no other caller receives.
  uint64_t new_owner();

  // Adds an inode that is held already to the visit of this thread.
  Inode give(Inode inode);
  void hold(Inode inode, uint64_t times = 1);
  // Requires: the inode was held at least `times` times.
  void release(Inode inode, uint64_t times = 1);

  Inode parent(Inode inode) const;  // the root is its own parent
  FileKind kind(Inode inode) const;
  // Returns the name; "#12" for a listed part, because only its directory knows the name.
  std::string name(Inode inode) const;
  // Returns the path below the root, such as "/a/b.csv"; "/" for the root.
  std::string path(Inode inode) const;
  bool knows(Inode inode) const;
  // Returns nullopt for an inode that was never assigned or was released.
  std::optional<Inode> known_parent(Inode inode) const;
  // Returns the listed part with this inode; nullopt if the inode is not one.
  std::optional<ListedPart> listed_part(Inode inode) const;

  struct Statistics {
    uint64_t names = 0;  // with their own inode, in memory
    uint64_t parts = 0;  // with an inode by their place
  };
  Statistics statistics() const;

  struct Named {
    Inode inode;
    Inode parent;
    std::string name;
  };
  // Returns all names except the root and the parts.
  std::vector<Named> all() const;

 private:
  struct Known {
    Inode parent;
    std::string name;
    FileKind kind;
    uint64_t holds = 0;  // includes the names below it
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
  struct Range {
    Inode directory;
    uint64_t owner;
    uint64_t count;
    uint64_t holds = 0;
  };
  using Ranges = std::map<Inode, Range>;

  const Known& known(Inode inode) const REQUIRES_SHARED(mutex_);
  Ranges::const_iterator range_of(Inode inode) const REQUIRES_SHARED(mutex_);
  Inode new_inode() REQUIRES(mutex_);
  Inode new_range(uint64_t count) REQUIRES(mutex_);
  Inode find_or_add(Inode parent, const std::string& name, FileKind kind) REQUIRES(mutex_);
  Inode find_or_add_range(Inode directory, uint64_t owner, uint64_t count) REQUIRES(mutex_);
  void give_now(Inode inode) REQUIRES(mutex_);
  void hold_now(Inode inode, uint64_t times) REQUIRES(mutex_);
  void release_now(Inode inode, uint64_t times) REQUIRES(mutex_);

  mutable SharedMutex mutex_;
  std::unordered_map<Inode, Known> known_ GUARDED_BY(mutex_);
  std::unordered_map<Key, Inode, KeyHash> by_name_ GUARDED_BY(mutex_);
  Inode next_ GUARDED_BY(mutex_) = kRootInode + 1;
  Ranges ranges_ GUARDED_BY(mutex_);  // by their first inode
  std::map<std::pair<Inode, uint64_t>, Inode> range_by_directory_
      GUARDED_BY(mutex_);  // by directory and owner
  Inode next_range_ GUARDED_BY(mutex_);
  uint64_t next_owner_ GUARDED_BY(mutex_) = 1;
};

}  // namespace plainfs
