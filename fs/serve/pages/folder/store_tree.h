// The stores in a mirrored folder and below it, kept between requests. A thread searches the folders and
// looks into the stores while pages are answered from the part that is known.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "cache/mutex.h"
#include "cache/request.h"
#include "fs/filesystem.h"

namespace plainfs::serve {

// A store, as it was when it was last examined.
struct TreeStore {
  std::string name;  // the path below the root of the folder, as it is shown: "alice/pbmc.h5ad"
  std::string path;  // on disk
  bool is_folder = false;
  bool is_examined = false;    // the members below are known
  std::string kind{}, what{};  // "AnnData", "2,700 cells × 2,000 genes"
  std::string error{};         // why it does not open; empty: it does
  bool has_picture = false;
  time_t modified = 0;             // known before the store is examined
  std::optional<uint64_t> size{};  // of a file
};
using TreeStorePtr = std::shared_ptr<const TreeStore>;

class StoreTree {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr size_t kMaxStores = 50'000;    // that are remembered
  static constexpr size_t kMaxFolders = 100'000;  // that are searched

  // filesystem: shows a mirrored folder of this machine; must outlive this.
  explicit StoreTree(Filesystem& filesystem) : filesystem_(filesystem) {}
  // Ends the search.
  ~StoreTree();
  StoreTree(const StoreTree&) = delete;
  StoreTree& operator=(const StoreTree&) = delete;

  struct Below {
    std::vector<TreeStorePtr> stores;           // sorted by name
    std::map<std::string, std::string> errors;  // folders that cannot be read, by path below the root
    size_t folders = 0;                         // below the folder that have stores
    bool is_searched = false;                   // all folders were searched
    bool is_cut = false;                        // there are more than are remembered
  };
  // Returns the stores below a folder: "" or "alice/pbmc". Starts to search the folders for changes if that
  // was not done a moment ago (as long ago as it took), and waits for the search, but not beyond `until`.
  Below below(const std::string& folder, Clock::time_point until);

  // Returns the stores, examined: those that were not, side by side, until time is over.
  std::vector<TreeStorePtr> examined(std::span<const TreeStorePtr> stores, Clock::time_point until);

 private:
  struct Cancellation : Request {
    bool cancelled() const override { return is_over.load(std::memory_order_relaxed); }
    bool is_patient() const override { return true; }
    std::atomic<bool> is_over{false};  // relaxed: publishes no other data
  };
  // The members of a folder that matter here, as of a state of the folder.
  struct Folder {
    struct stat state {};
    time_t listed = 0;
    std::vector<std::string> folders{};  // names as stored
    std::vector<std::string> stores{};   // names below the root
    std::string error{};
    uint64_t search = 0;  // the last that saw it
  };
  struct Known {
    TreeStorePtr store;
    struct stat state {};
    Clock::time_point examined{};
    uint64_t search = 0;  // the last that saw it
  };

  void run() noexcept;
  void search();
  void search_folder(const std::string& place, const Node& node, size_t depth);
  bool is_unchanged(const std::string& place, const struct stat& state, Folder& folder) const;
  void list(const std::string& place, const Node& node, Folder& folder);
  void keep_store(const std::string& name, const Node& node);
  void look_again(const std::string& name);
  void forget_absent();
  void examine_rest();
  TreeStorePtr examine(const TreeStorePtr& store);

  Filesystem& filesystem_;
  Cancellation cancellation_;
  mutable Mutex mutex_;
  Condition changed_;
  std::map<std::string, Known> stores_ GUARDED_BY(mutex_);
  std::map<std::string, Folder> folders_ GUARDED_BY(mutex_);
  uint64_t search_ GUARDED_BY(mutex_) = 0;    // the one in progress, or the last
  uint64_t searches_ GUARDED_BY(mutex_) = 0;  // that have ended
  bool is_wanted_ GUARDED_BY(mutex_) = false;
  bool is_cut_ GUARDED_BY(mutex_) = false;
  Clock::time_point searched_ GUARDED_BY(mutex_){};  // when the last one ended
  Clock::duration duration_ GUARDED_BY(mutex_){};    // of the last one
  std::thread thread_ GUARDED_BY(mutex_);
};

// The trees of the folders that a server shows. Thread-safe.
class StoreTrees {
 public:
  // Returns the tree of a store that is a folder of this machine; null for any other store.
  StoreTree* of(Filesystem& filesystem);

 private:
  Mutex mutex_;
  std::map<const Filesystem*, std::unique_ptr<StoreTree>> trees_ GUARDED_BY(mutex_);
};

}  // namespace plainfs::serve
