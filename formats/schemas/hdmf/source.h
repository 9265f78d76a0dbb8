// The `source` of HDMF's links and references: the store of their path. hdmf-zarr has written it relative to
// the store's own folder (0.2 and later), to the folder that holds the store (0.10.0), and as the writer was
// given it (0.1). It is tried in this order, and is internal if it is the store itself.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/base/sources.h"
#include "formats/core/text/json.h"

namespace plainfs::hdmf {

// A cache of the sources of one store. Thread-safe.
class StoreSources {
 public:
  // store_path: a path on disk, or a URL.
  StoreSources(std::string store_path, Sources& files) : store_path_(std::move(store_path)), files_(files) {}

  // Returns whether source is the store itself. Accesses the disk on the first request for each source.
  bool is_internal(const std::string& source) const;

  // Returns the target of a reference ({"source", "path", …}): its path, or "SOURCE:PATH" in another store.
  // Nullopt if it is no such object.
  std::optional<std::string> target_text(const Json& reference) const;

 private:
  bool look_up(const std::string& source) const;

  const std::string store_path_;
  Sources& files_;
  mutable Mutex mutex_;
  mutable std::map<std::string, bool> known_ GUARDED_BY(mutex_);
};

// Returns the member source, "" if it is absent, null or no text.
std::string source_of(const Json& link_or_reference);

}  // namespace plainfs::hdmf
