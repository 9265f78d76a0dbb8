// The files of a store and of the neighbouring stores that its links lead to. Each file is opened only within
// the bounds for it (formats/core/base/containment.h). A remote store has only its own objects.
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

// The sources of a store and its neighbours. Thread-safe.
class StoreFiles {
 public:
  // options.follow_outside: removes the bounds. cache and counters must outlive this.
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
  // Returns the sources of another store, which may be inside this one (a mirrored folder) or beside it.
  Sources& of(const std::string& store) {
    if (remote_) return *remote_;
    return own_.bounds().contains(store) ? own_ : neighbours_;
  }

 private:
  static constexpr size_t kMostOpen = 256;       // if the process may have as many
  static constexpr size_t kMostNeighbours = 16;  // only examined, to find out what links lead to

  FilePool own_;
  FilePool neighbours_;
  std::unique_ptr<Sources> remote_;  // null: the store is local
};

}  // namespace plainfs
