// Contexts for the stores besides the named one. They differ only in their files and in the prefix of their
// messages, which is the store's path.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/used_sources.h"
#include "formats/core/model/context.h"
#include "fs/store_files.h"

namespace plainfs {

// A cache of contexts by store path. Thread-safe.
class StoreContexts {
 public:
  // like: copied when a store is first used. It and `files` must outlive this.
  StoreContexts(const Context& like, StoreFiles& files) : like_(like), files_(files) {}

  Context& of(const std::string& store) {
    const MutexLock lock(mutex_);
    if (const auto known = contexts_.find(store); known != contexts_.end()) return known->second;
    UsedSources& used = *used_.emplace_back(std::make_unique<UsedSources>(files_.of(store), store));
    Context made{
        like_.cache,    like_.workers, like_.decode_budget,      like_.unit_budget,        used,
        like_.counters, like_.options, named(store, like_.warn), named(store, like_.note), like_.other,
        like_.passes};
    made.progress = named(store, like_.progress);
    return contexts_.emplace(store, made).first->second;
  }

 private:
  using Notify = std::function<void(const std::string&)>;
  static Notify named(const std::string& store, const Notify& notify) {
    if (!notify) return {};
    return [store, notify](const std::string& message) { notify(store + ": " + message); };
  }

  const Context& like_;
  StoreFiles& files_;
  Mutex mutex_;
  std::vector<std::unique_ptr<UsedSources>> used_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, Context> contexts_
      GUARDED_BY(mutex_);  // never removed, as arrays refer to them
};

}  // namespace plainfs
