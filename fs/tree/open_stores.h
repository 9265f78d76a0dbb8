// The open stores besides the mounted one: stores inside a mirrored folder and targets of links. Their number
// is limited; the least recently used store is closed first and reopened on demand.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "cache/mutex.h"
#include "cache/recent.h"
#include "formats/core/model/store.h"

namespace plainfs {

// A cache of open stores. Thread-safe.
class OpenStores {
 public:
  // let_go is called, without a lock, with the path of each store that is dropped.
  OpenStores(Context& context, size_t max_open, std::function<void(const std::string& path)> let_go);

  // Closes the files of all stores.
  ~OpenStores();

  // Returns the store at `path`; opens it if it is not open. Concurrent calls for one path open it once.
  // Throws like open_store. A failure is remembered unless it may pass, so that a damaged store costs one
  // attempt and one warning.
  StorePtr open(const std::string& path);

 private:
  struct Slot;

  Context& context_;
  const std::function<void(const std::string&)> let_go_;
  Mutex mutex_;  // a slot's own mutex guards its opening
  std::unordered_map<std::string, std::shared_ptr<Slot>> slots_ GUARDED_BY(mutex_);
  Recent<std::string, std::shared_ptr<Slot>> recent_ GUARDED_BY(mutex_);  // those that hold a store
};

}  // namespace plainfs
