// The files under the mountpoint that are open, or were lately, one view each however many have it open; and
// what was measured of every file, which is kept as long as its name has its inode: a view that is opened
// again need not go through its content again.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cache/mutex.h"
#include "fs/text/view_file.h"
#include "fs/tree/inodes.h"

namespace plainfs {

// Thread-safe.
class OpenViews {
 public:
  // inodes: null if no name is ever given back.
  explicit OpenViews(std::shared_ptr<const Inodes> inodes = nullptr) : inodes_(std::move(inodes)) {}

  // Null where none is kept.
  std::shared_ptr<ViewFile> find(Inode file);
  // Keeps view and gives it back, or the one that was kept meanwhile.
  std::shared_ptr<ViewFile> keep(Inode file, std::shared_ptr<ViewFile> view);
  // Keeps it no longer, unless it is open. The view, which is to be freed where no lock is held
  // that others need: its files are closed with it. Null: none was kept.
  std::shared_ptr<ViewFile> let_go(Inode file);
  // The same of all files for which is_one(file) holds.
  std::vector<std::shared_ptr<ViewFile>> let_go_if(const std::function<bool(Inode file)>& is_one);

  std::optional<uint64_t> size(Inode file) const;
  void remember_size(Inode file, uint64_t size, const ViewFile& view);
  // All that was measured, of files that are open and of those that were.
  std::vector<std::pair<Inode, MeasuredPtr>> measured() const;
  // The same of one file; null: nothing.
  MeasuredPtr measured(Inode file) const;

 private:
  struct Known {
    std::shared_ptr<ViewFile> view;
    std::atomic<bool> is_used{
        false};  // the view, since it was last looked at; atomic: set with the mutex shared
    std::optional<uint64_t> size;
    MeasuredPtr measured;
  };
  static MeasuredPtr measured_of(const Known& known);
  void close_some(std::vector<std::shared_ptr<ViewFile>>& closed) REQUIRES(mutex_);
  void forget_lost_names(std::vector<std::shared_ptr<ViewFile>>& closed) REQUIRES(mutex_);

  const std::shared_ptr<const Inodes> inodes_;
  mutable SharedMutex mutex_;
  std::unordered_map<Inode, Known> known_ GUARDED_BY(mutex_);
  std::deque<Inode> kept_ GUARDED_BY(mutex_);  // files with a view, the next one to be looked at first
  size_t known_before_look_ GUARDED_BY(mutex_) = 4096;  // for those whose names are gone
};

}  // namespace plainfs
