// The files of a store and of the stores beside it or inside it, and their contexts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cache/byte_cache.h"
#include "cache/mutex.h"
#include "formats/core/base/file_pool.h"
#include "formats/core/base/location.h"
#include "formats/core/base/used_sources.h"
#include "formats/core/model/context.h"
#include "formats/core/remote/remote_sources.h"
#include "formats/core/remote/several_stores.h"
#include "formats/open_store.h"

namespace plainfs {

// The files of a store and of the neighbouring stores that its links lead to. Each file is opened only within
// the bounds for it (formats/core/base/containment.h). A remote store has only its own objects. Of joined
// stores, some may be remote. Thread-safe.
class StoreFiles {
 public:
  // options.follow_outside: removes the bounds. cache and counters must outlive this.
  StoreFiles(const std::string& store, const ReadOptions& options, ByteCache& cache, Counters& counters)
      : own_(kMaxOpen, &counters.source_bytes_read),
        neighbours_(kMaxNeighbours, &counters.source_bytes_read) {
    if (options.join) {
      join(locations_of(*options.join), options, cache, counters);
      return;
    }
    if (is_url(store)) {
      remote_ =
          remote::open_sources(store, options.remote, cache, counters.remote, &counters.source_bytes_read);
      return;
    }
    if (!store.empty()) own_.follow(location_of_store(store));
    if (options.follow_outside) return;
    own_.confine(Containment::of_store(store));
    neighbours_.confine(Containment::around_store(store));
  }

  Sources& own() {
    if (remote_) return *remote_;
    return own_;
  }
  // Returns the sources of another store, which may be inside this one (a mirrored folder) or beside it.
  Sources& of(const std::string& store) {
    if (remote_) return *remote_;
    return own_.bounds().contains(store) ? own_ : neighbours_;
  }

 private:
  void join(const std::vector<std::string>& stores, const ReadOptions& options, ByteCache& cache,
            Counters& counters) {
    std::vector<std::string> urls, paths;
    for (const std::string& store : stores) (is_url(store) ? urls : paths).push_back(store);
    if (!urls.empty())
      remote_ = remote::open_several_sources(urls, own_, options.remote, cache, counters.remote,
                                             &counters.source_bytes_read);
    if (!paths.empty()) own_.follow(paths.front());
    if (options.follow_outside && !paths.empty()) return;
    own_.confine(Containment::of_stores(paths));
    if (!paths.empty()) neighbours_.confine(Containment::around_store(paths.front()));
  }

  static constexpr size_t kMaxOpen = 256;       // if the process may have as many
  static constexpr size_t kMaxNeighbours = 16;  // only examined, to find out what links lead to

  FilePool own_;  // used by remote_
  FilePool neighbours_;
  std::unique_ptr<Sources> remote_;  // null: the store is local, or all joined ones are
};

// Contexts for the stores besides the named one, by store path. They differ only in their files and in the
// prefix of their messages, which is the store's path. Thread-safe.
class StoreContexts {
 public:
  // like: copied when a store is first used. It and `files` must outlive this.
  StoreContexts(const Context& like, StoreFiles& files) : like_(like), files_(files) {}

  Context& of(const std::string& store) {
    const MutexLock lock(mutex_);
    if (const auto known = contexts_.find(store); known != contexts_.end()) return known->second;
    Context generated{
        like_.cache,    like_.workers, like_.decode_budget,      like_.unit_budget,        files_for(store),
        like_.counters, like_.options, named(store, like_.warn), named(store, like_.note), like_.other,
        like_.passes};
    generated.progress = named(store, like_.progress);
    return contexts_.emplace(store, generated).first->second;
  }

  // Returns the sources of these stores used so far, see UsedSources::names.
  std::vector<std::string> sources_used() {
    std::vector<std::string> names;
    const MutexLock lock(mutex_);
    for (const auto& used : used_)
      for (std::string& name : used->names()) names.push_back(std::move(name));
    return names;
  }

 private:
  // Returns the sources of a store. Those of joined stores are recorded together.
  Sources& files_for(const std::string& store) REQUIRES(mutex_) {
    const auto is_it = [&](const JoinOptions::Member& member) { return member.location == store; };
    const auto& join = like_.options.join;
    if (join && std::any_of(join->stores.begin(), join->stores.end(), is_it)) {
      if (!is_url(store)) return like_.files;
      if (!only_urls_) only_urls_ = remote::only_urls(like_.files);
      return *only_urls_;
    }
    return *used_.emplace_back(std::make_unique<UsedSources>(files_.of(store), store));
  }

  using Notify = std::function<void(const std::string&)>;
  static Notify named(const std::string& store, const Notify& notify) {
    if (!notify) return {};
    return [store, notify](const std::string& message) { notify(store + ": " + message); };
  }

  const Context& like_;
  StoreFiles& files_;
  Mutex mutex_;
  std::vector<std::unique_ptr<UsedSources>> used_ GUARDED_BY(mutex_);
  std::unique_ptr<Sources> only_urls_ GUARDED_BY(mutex_);  // of joined stores; null: not used yet
  std::unordered_map<std::string, Context> contexts_
      GUARDED_BY(mutex_);  // never removed, as arrays refer to them
};

}  // namespace plainfs
