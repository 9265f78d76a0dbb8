// A store as it was when it was opened, with everything learned about it since. Reopening creates another
// Opening beside it. A request that began with one Opening ends with it.
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

// A copy of a Context with its own files, which are examined again, and its own contexts for the other stores
// found through links. The rest is shared with the original.
class OpeningContext {
 public:
  // Everything that `like` refers to must outlive this.
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

// One opening of a store. Thread-safe.
class Opening {
 public:
  // context: shared with objects that may outlive this (BlockStream). subdir, views, index: see Tree.
  Opening(uint64_t number, std::shared_ptr<Context> context, StorePtr store, std::string_view subdir,
          ChosenViews views, std::shared_ptr<Inodes> inodes, IndexFolderPtr index);
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  uint64_t number() const { return number_; }
  const StorePtr& store() const { return store_; }
  Tree& tree() { return tree_; }
  Sources& files() const { return context_->files; }

  // Throws changed if the store at store_path differs from its state at the first call with that path. The
  // path is that of this store or of one found through it. After lose(), throws for every store.
  void check_unchanged(const std::string& store_path);
  // Records that data that were read have changed. This opening then saves nothing for another session.
  void see_change() { has_changed_.store(true, std::memory_order_relaxed); }
  // Saves the results of passes for the next session, see Tree::save_index. Throws changed if the store has
  // changed.
  void save_index();
  // Records that the store is missing. None of its contents are shown from then on.
  void lose() { is_lost_.store(true, std::memory_order_relaxed); }
  bool is_lost() const { return is_lost_.load(std::memory_order_relaxed); }

 private:
  // The state of a store on disk.
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;  // of a store that is a file; else 0, like the members below
    timespec modified{};
    uint64_t metadata = 0;  // see metadata_mark()
  };
  void check_store(const std::string& store_path);
  bool is_unchanged(const std::string& path, const struct stat& now, Stamp& first) const;

  const std::shared_ptr<Context> context_;  // declared first, so that it is destroyed last
  const uint64_t number_;
  const uint64_t first_owner_;  // in the cache
  const StorePtr store_;        // the whole store, even if only a part of it is shown
  Tree tree_;
  std::atomic<bool> is_lost_{false};      // relaxed: publishes no other data
  std::atomic<bool> has_changed_{false};  // relaxed, too
  Mutex stamps_mutex_;
  std::unordered_map<std::string, Stamp> stamps_ GUARDED_BY(stamps_mutex_);
};

using OpeningPtr = std::shared_ptr<Opening>;

}  // namespace plainfs
