// Strong entity tags: they identify the version of a file that a client has, even in a later run of the
// server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plainfs::serve {

// The entity tags of the files of all stores. Files of a store that has changed since it was opened are
// errors, so the store's identity and the path identify the bytes, in every run of the server. If the
// identity is unknown (a store may be a folder of a million files, too many to check), or the store was
// opened again, the tag is built from the run, store, opening and path, and does not outlive the run.
class EntityTags {
 public:
  // run: text unique to this run of the server, letters and digits. identities: for each store, text that
  // changes with everything that determines the bytes of its files; empty if unknown.
  explicit EntityTags(std::string run, std::vector<std::string> identities = {})
      : run_(std::move(run)), identities_(std::move(identities)) {}

  // Returns the tag with its quotes.
  std::string of(size_t store, uint64_t opening, std::string_view path) const;

 private:
  const std::string run_;
  const std::vector<std::string> identities_;
};

// Returns whether the list of an If-None-Match or If-Match field contains the tag or is "*".
bool lists_tag(std::string_view field, std::string_view tag);

// Returns whether ranges may be answered with parts: If-Range is absent (empty), or equals this tag. A date
// never matches, as two versions may share one.
bool allows_parts(std::string_view if_range, std::string_view tag);

inline constexpr size_t kMaxIdentityFiles = 4096;

// Returns text that identifies a store on disk. It changes if any file that the store can be read from is
// modified, replaced, added or removed: the files below its folder, or, for a store that is one file, those
// below the folder that contains it, since it may refer to others there. Returns nullopt if that is not cheap
// to determine: for a remote store, more than kMaxIdentityFiles names, links, or a file that cannot be
// examined. Call it before the store is opened.
std::optional<std::string> store_identity(const std::string& location);

}  // namespace plainfs::serve
