// A Context for each store besides the one that was named, alike in all but what its messages begin with:
// that store's path.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "formats/model/context.h"

namespace plainfs {

// Thread-safe.
class StoreContexts {
 public:
  // like: is copied for each store when it is first met; outlives this.
  explicit StoreContexts(const Context& like) : like_(like) {}

  Context& of(const std::string& store) {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = contexts_.try_emplace(store, like_);
    if (is_new) {
      entry->second.warn = named(store, like_.warn);
      entry->second.note = named(store, like_.note);
    }
    return entry->second;
  }

 private:
  using Tell = std::function<void(const std::string&)>;
  static Tell named(const std::string& store, const Tell& tell) {
    if (!tell) return {};
    return [store, tell](const std::string& message) { tell(store + ": " + message); };
  }

  const Context& like_;
  std::mutex mutex_;                                   // guards contexts_
  std::unordered_map<std::string, Context> contexts_;  // none ever goes: arrays refer to them
};

}  // namespace plainfs
