// The open stores besides the mounted one: stores inside a mirrored folder and targets of links. Their number
// is limited; the least recently used store is closed first and reopened on demand.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "cache/mutex.h"
#include "formats/core/model/store.h"

namespace plainfs {

// A cache of open stores. Thread-safe.
class OpenStores {
 public:
  // let_go is called, without a lock, with the path of each store that is dropped.
  OpenStores(Context& context, size_t most_open, std::function<void(const std::string& path)> let_go);

  // Closes the files of all stores.
  ~OpenStores();

  // Returns the store at `path`; opens it if it is not open. Concurrent calls for one path open it once.
  // Throws like open_store. A failure is remembered unless it may pass, so that a damaged store costs one
  // attempt and one warning.
  StorePtr open(const std::string& path);

 private:
  struct Slot;
  // A dropped store.
  struct Dropped {
    std::string path;
    std::shared_ptr<Slot> slot;  // null: none was dropped
  };
  Dropped make_room() REQUIRES(mutex_);

  Context& context_;
  const size_t most_open_;
  const std::function<void(const std::string&)> let_go_;
  Mutex mutex_;  // a slot's own mutex guards its opening
  std::unordered_map<std::string, std::shared_ptr<Slot>> slots_ GUARDED_BY(mutex_);
  std::list<std::string> recent_
      GUARDED_BY(mutex_);  // paths of slots that hold a store, the most recent first
};

}  // namespace plainfs
