// The stores that are open besides the one that is mounted: those inside a mirrored folder and those that
// links lead to. Only so many are kept open; the one used longest ago is let go first and opened again when
// it is wanted.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "cache/mutex.h"
#include "formats/core/model/store.h"

namespace plainfs {

// Thread-safe.
class OpenStores {
 public:
  // let_go is called, without a lock, with the path of a store that is no longer kept.
  OpenStores(Context& context, size_t most_open, std::function<void(const std::string& path)> let_go);

  // Their files are closed.
  ~OpenStores();

  // The store at path, opened where it is not open. Concurrent calls for one path open it once. Throws as
  // open_store does. A failure is remembered, so that a damaged store costs one attempt and one warning, but
  // for one that passes.
  StorePtr open(const std::string& path);

 private:
  struct Slot;
  // A store that is kept no longer.
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
  std::list<std::string> recent_ GUARDED_BY(mutex_);  // paths of slots that hold a store, the latest first
};

}  // namespace plainfs
