// The `source` of HDMF's links and references: which store their path is in. hdmf-zarr has written it
// relative to the store's own folder (0.2 and later), to the folder that holds the store (0.10.0), and as
// it was given to the writer (0.1); it is taken in this order, and is internal where it is the store itself.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/base/sources.h"
#include "formats/core/text/json.h"

namespace plainfs::hdmf {

// Thread-safe.
class StoreSources {
 public:
  // store_path: on disk.
  StoreSources(std::string store_path, Sources& files) : store_path_(std::move(store_path)), files_(files) {}

  // Whether source means the store itself. Looks at the disk the first time a source is asked about.
  bool is_internal(const std::string& source) const;

  // What a reference ({"source", "path", …}) points to: its path, or "SOURCE:PATH" in another store. Nullopt
  // where it is no such object.
  std::optional<std::string> target_text(const Json& reference) const;

 private:
  bool look_up(const std::string& source) const;

  const std::string store_path_;
  Sources& files_;
  mutable Mutex mutex_;
  mutable std::map<std::string, bool> known_ GUARDED_BY(mutex_);
};

// The member source, "" where it is absent, null or no text.
std::string source_of(const Json& link_or_reference);

}  // namespace plainfs::hdmf
