// The files of a store and of the stores beside it, which its links lead to: each opened from where it may be
// opened (formats/core/base/containment.h). A store elsewhere has its own objects alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "cache/byte_cache.h"
#include "formats/core/base/file_pool.h"
#include "formats/core/base/location.h"
#include "formats/core/model/context.h"
#include "formats/core/remote/remote_sources.h"
#include "formats/open_store.h"

namespace plainfs {

// Thread-safe.
class StoreFiles {
 public:
  // options.follow_outside: there are no bounds. cache and counters outlive this.
  StoreFiles(const std::string& store, const ReadOptions& options, ByteCache& cache, Counters& counters)
      : own_(kMostOpen, &counters.source_bytes_read),
        neighbours_(kMostNeighbours, &counters.source_bytes_read) {
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
  // Those of another store, which may be inside the first one (a mirrored folder) or beside it.
  Sources& of(const std::string& store) {
    if (remote_) return *remote_;
    return own_.bounds().contains(store) ? own_ : neighbours_;
  }

 private:
  static constexpr size_t kMostOpen = 256;       // where the process may have as many
  static constexpr size_t kMostNeighbours = 16;  // only looked at, to tell what links lead to

  FilePool own_;
  FilePool neighbours_;
  std::unique_ptr<Sources> remote_;  // null: the store is of this machine
};

}  // namespace plainfs
