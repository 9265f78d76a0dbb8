// The files under the mountpoint that are or recently were open, with one view for all handles of a file.
// Also keeps the measurements of every file while its name has an inode, so that a view that is reopened need
// not read its content again, and those of released names until they are saved.
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
#include "fs/index/store_index.h"
#include "fs/text/view_file.h"
#include "fs/tree/inodes.h"

namespace plainfs {

// A cache of views. Thread-safe.
class OpenViews {
 public:
  // inodes: null if names are never released.
  explicit OpenViews(std::shared_ptr<const Inodes> inodes = nullptr) : inodes_(std::move(inodes)) {}

  // Returns the view of `file`; null if none is kept.
  std::shared_ptr<ViewFile> find(Inode file);
  // Keeps `view` and returns it, or returns the view that another thread has stored in the meantime. place:
  // of the file in the index; null if its measurements are not saved.
  std::shared_ptr<ViewFile> keep(Inode file, std::shared_ptr<ViewFile> view, IndexPlacePtr place = nullptr);
  // Drops the view unless it is open, and returns it; null if none was kept. Free it while holding no lock
  // that other threads need, because its files are closed with it.
  std::shared_ptr<ViewFile> let_go(Inode file);
  // Drops the views of all files for which is_one(file) is true, like let_go().
  std::vector<std::shared_ptr<ViewFile>> let_go_if(const std::function<bool(Inode file)>& is_one);

  std::optional<uint64_t> size(Inode file) const;
  void remember_size(Inode file, uint64_t size, const ViewFile& view);
  struct Measurement {
    IndexPlacePtr place;
    MeasuredPtr measured;
  };
  // Returns the measurements of all files that are or were open and have a place in the index.
  // forgets_released: forget those of released names, because the caller adds them to the index.
  std::vector<Measurement> measured(bool forgets_released);
  // Returns the measurement of `file`; nullopt if it is missing or has no place.
  std::optional<Measurement> measurement(Inode file) const;

 private:
  static constexpr size_t kFewKnown = 4096;

  struct Known {
    std::shared_ptr<ViewFile> view;
    std::atomic<bool> is_used{false};  // the view, since the last check; atomic: set with the mutex shared
    std::optional<uint64_t> size;
    MeasuredPtr measured;
    IndexPlacePtr place;  // null without a view and a measurement
  };
  static MeasuredPtr measured_of(const Known& known);
  static std::optional<Measurement> measurement_of(const Known& known);
  void close_some(std::vector<std::shared_ptr<ViewFile>>& closed) REQUIRES(mutex_);
  void forget_lost_names(std::vector<std::shared_ptr<ViewFile>>& closed) REQUIRES(mutex_);

  const std::shared_ptr<const Inodes> inodes_;
  mutable SharedMutex mutex_;
  std::unordered_map<Inode, Known> known_ GUARDED_BY(mutex_);
  std::deque<Inode> kept_ GUARDED_BY(mutex_);  // files with a view, the next one to be checked first
  size_t known_before_look_ GUARDED_BY(mutex_) = kFewKnown;  // for those that have lost their names
  std::vector<Measurement> of_released_ GUARDED_BY(mutex_);  // names that are forgotten here as well
};

}  // namespace plainfs
