// The names under the mountpoint, each with its inode. While a name has an inode, the inode stands for
// nothing else: what it stands for may be let go and come back, and the store may be opened anew, with the
// same names under the same inodes. So nothing parses a path, and what the kernel remembers stays true.
//
// A name is given back once nobody holds it: the kernel (by its lookups), a listing, a visit, or a name below
// it. The parts of a directory, of which there may be millions, need no names here: the directory has a range
// of inodes, and each part that it lists has one by its place.
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
  store,  // a store in a mirrored folder: a directory if it opens, else what it is on disk
};

// A part that a directory lists.
struct ListedPart {
  Inode directory = 0;
  uint64_t owner = 0;  // of the range, as it was given to part()
  uint64_t place = 0;  // in the listing, from 0
};

// Thread-safe. All but of() and those that hold and release throw not_found for an inode that was never given
// or was given back.
class Inodes {
 public:
  // Holds each inode that its thread is given, until it ends. What a thread is given outside of any visit
  // stays for good.
  class Visit {
   public:
    explicit Visit(Inodes& inodes);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    friend class Inodes;
    Inodes& inodes_;
    Visit* before_;  // of the same thread
    std::vector<Inode> given_;
  };

  Inodes();

  // The inode of name in a directory, given now if it has none. The same name is another inode if it is of
  // another kind: the kernel takes it ill when a file becomes a directory.
  Inode of(Inode parent, const std::string& name, FileKind kind);
  // The same, also held once more, for a listing.
  Inode listed(Inode parent, const std::string& name, FileKind kind);
  // The first inode of a directory's range of count parts, held once more, for a listing. owner: whoever
  // names the parts, so that another opening of the store has a range of its own. Throws unsupported while
  // too many parts are in use.
  Inode listed_parts(Inode directory, uint64_t owner, uint64_t count);
  // The inode of one of them.
  Inode part(Inode directory, uint64_t owner, uint64_t count, uint64_t place);
  // A number that no other caller has.
  uint64_t new_owner();

  // Gives an inode that somebody holds to the visit of this thread.
  Inode give(Inode inode);
  void hold(Inode inode, uint64_t times = 1);
  // Requires: it was held as often.
  void release(Inode inode, uint64_t times = 1);

  Inode parent(Inode inode) const;  // of the root: itself
  FileKind kind(Inode inode) const;
  // "#12" for a listed part, whose name its directory knows.
  std::string name(Inode inode) const;
  // Below the root: "/a/b.csv"; "/" for the root.
  std::string path(Inode inode) const;
  bool knows(Inode inode) const;
  // nullopt if it is none.
  std::optional<ListedPart> listed_part(Inode inode) const;

  struct Statistics {
    uint64_t names = 0;  // with an inode of their own, which are in memory
    uint64_t parts = 0;  // with one by their place
  };
  Statistics statistics() const;

  struct Named {
    Inode inode;
    Inode parent;
    std::string name;
  };
  // All but the root and the parts.
  std::vector<Named> all() const;

 private:
  struct Known {
    Inode parent;
    std::string name;
    FileKind kind;
    uint64_t holds = 0;  // names below it, too
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
  Ranges ranges_ GUARDED_BY(mutex_);                                                   // by the first inode
  std::map<std::pair<Inode, uint64_t>, Inode> range_by_directory_ GUARDED_BY(mutex_);  // and owner
  Inode next_range_ GUARDED_BY(mutex_);
  uint64_t next_owner_ GUARDED_BY(mutex_) = 1;
};

}  // namespace plainfs
