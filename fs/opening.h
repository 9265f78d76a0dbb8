// A store as it was opened at one time, and all that was found out about it since. Opening it anew makes
// another one beside it; a request that began with this one ends with it.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/used_sources.h"
#include "fs/store_contexts.h"
#include "fs/tree/tree.h"

namespace plainfs {

// A Context with files of its own, which are looked at anew, and contexts of its own for the other stores
// that are met; all else is that of the Context it is made like.
class OpeningContext {
 public:
  // What like refers to outlives this.
  OpeningContext(const Context& like, const std::string& store);
  ~OpeningContext();
  OpeningContext(const OpeningContext&) = delete;
  OpeningContext& operator=(const OpeningContext&) = delete;

  Context& context() { return context_; }

 private:
  const uint64_t first_owner_;  // in the cache
  StoreFiles files_;
  UsedSources used_;
  Context context_;
  StoreContexts others_;
};

// Thread-safe.
class Opening {
 public:
  // context: also of what may outlive this (BlockStream). subdir, views, index: as of Tree.
  Opening(uint64_t number, std::shared_ptr<Context> context, StorePtr store, std::string_view subdir,
          ChosenViews views, std::shared_ptr<Inodes> inodes, IndexFolderPtr index);
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  uint64_t number() const { return number_; }
  const StorePtr& store() const { return store_; }
  Tree& tree() { return tree_; }
  Sources& files() const { return context_->files; }

  // Throws changed where the store at store_path, this one or one that was met in it, is no longer what it
  // was at the first call for it, and for every store after lose().
  void check_unchanged(const std::string& store_path);
  // Something that was read is no longer what it was: of this opening nothing is kept for another session.
  void see_change() { has_changed_.store(true, std::memory_order_relaxed); }
  // Keeps for the next session what passes have found out, as Tree::save_index does. Throws changed where
  // nothing is to be kept.
  void save_index();
  // Records that the store is gone: nothing is shown by what is known of it.
  void lose() { is_lost_.store(true, std::memory_order_relaxed); }
  bool is_lost() const { return is_lost_.load(std::memory_order_relaxed); }

 private:
  // What a store was on disk.
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;  // of a store that is a file; else 0, as the rest
    timespec modified{};
    uint64_t metadata = 0;  // the metadata mark
  };
  bool is_unchanged(const std::string& path, const struct stat& now, Stamp& first) const;

  const std::shared_ptr<Context> context_;  // the last that is let go
  const uint64_t number_;
  const uint64_t first_owner_;  // in the cache
  const StorePtr store_;        // as it was opened, whatever part of it is shown
  Tree tree_;
  std::atomic<bool> is_lost_{false};      // relaxed: nothing else is told by it
  std::atomic<bool> has_changed_{false};  // relaxed, too
  Mutex stamps_mutex_;
  std::unordered_map<std::string, Stamp> stamps_ GUARDED_BY(stamps_mutex_);
};

using OpeningPtr = std::shared_ptr<Opening>;

}  // namespace plainfs
