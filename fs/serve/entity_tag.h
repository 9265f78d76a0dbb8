// Strong entity tags: what a client has of a file, and whether that is still what there is, also in another
// run of the server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plainfs::serve {

// A store is what it was when it was opened, or its files are an error. Of a store whose identity is known,
// that and the path in it name bytes, in every run of the server. Of others (a store may be a folder of a
// million files, of which it cannot be told that they are the same still), and of one that was opened anew,
// run, store, opening and path do: those tags do not outlive the run.
class EntityTags {
 public:
  // run: text that no other run of the server has; letters and digits. identities: of each store text that is
  // another where anything is that its files' bytes follow from; empty where that is not known.
  explicit EntityTags(std::string run, std::vector<std::string> identities = {})
      : run_(std::move(run)), identities_(std::move(identities)) {}

  // With its quotes.
  std::string of(size_t store, uint64_t opening, std::string_view path) const;

 private:
  const std::string run_;
  const std::vector<std::string> identities_;
};

// Whether the tag is in the list of an If-None-Match or If-Match, or the list is "*".
bool lists_tag(std::string_view field, std::string_view tag);

// Whether ranges may be answered with parts: there is no If-Range (empty), or it is this tag. A date never
// is: two versions may have the same.
bool allows_parts(std::string_view if_range, std::string_view tag);

inline constexpr size_t kMostIdentityFiles = 4096;

// What a store is on disk: other text where any file that the store can be read from was changed, replaced,
// added or removed: those below its folder; of a store that is one file, below the folder that it lies in,
// since it may name others there. nullopt where that is not cheap to tell: elsewhere, of more than
// kMostIdentityFiles names, with links, or where one cannot be looked at. To be asked before the store is
// opened.
std::optional<std::string> store_identity(const std::string& location);

}  // namespace plainfs::serve
