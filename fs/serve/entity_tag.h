// Strong entity tags: what a client has of a file, and whether that is still what there is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plainfs::serve {

// Tags of one run of the server. A store is what it was when it was opened, or its files are an error; inodes
// are given once. So run, store, opening and inode together name bytes. They do not outlive the run: a store
// may be a folder of a million files, of which nobody could tell that they are the same still.
class EntityTags {
 public:
  // run: text that no other run of the server has; letters and digits.
  explicit EntityTags(std::string run) : run_(std::move(run)) {}

  // With its quotes.
  std::string of(size_t store, uint64_t opening, uint64_t inode) const;

 private:
  const std::string run_;
};

// Whether the tag is in the list of an If-None-Match or If-Match, or the list is "*".
bool lists_tag(std::string_view field, std::string_view tag);

// Whether ranges may be answered with parts: there is no If-Range (empty), or it is this tag. A date never
// is: two versions may have the same.
bool allows_parts(std::string_view if_range, std::string_view tag);

}  // namespace plainfs::serve
