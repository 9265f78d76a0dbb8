#include "fs/tree/listing.h"

#include <utility>

namespace plainfs {

Listing::Listing(std::shared_ptr<Inodes> inodes, Inode directory, std::span<const DirectoryEntry> shown,
                 size_t listed, size_t unsized, Unopened unopened)
    : inodes_(std::move(inodes)), directory_(directory), unsized_(unsized), unopened_(std::move(unopened)) {
  entries_.given_.reserve(listed);
  unlisted_.reserve(shown.size() - listed);
  places_.reserve(shown.size());
  inodes_->hold(directory);
  try {
    for (size_t i = 0; i < shown.size(); ++i) {
      std::vector<Entry>& entries = i < listed ? entries_.given_ : unlisted_;
      entries.push_back({shown[i].name, 0, shown[i].kind, shown[i].shows_again, shown[i].identity.row});
      entries.back().inode = inodes_->listed(directory, shown[i].name, shown[i].kind);
      places_.emplace(entries.back().name, i);
    }
  } catch (...) {
    release();
    throw;
  }
}

Listing::Listing(std::shared_ptr<Inodes> inodes, FoundNamesPtr parts, Inode first_part)
    : inodes_(std::move(inodes)), directory_(0) {
  entries_.parts_ = std::move(parts);
  entries_.first_part_ = first_part;
}

Listing::~Listing() {
  release();
}

void Listing::release() const {
  if (is_of_parts()) return inodes_->release(entries_.first_part_);
  for (const std::vector<Entry>* entries : {&entries_.given_, &unlisted_})
    for (const Entry& entry : *entries)
      if (entry.inode != 0) inodes_->release(entry.inode);
  inodes_->release(directory_);
}

std::optional<size_t> Listing::find(std::string_view name) const {
  if (is_of_parts()) {
    const std::optional<uint64_t> place = entries_.parts_->place_of(name);
    return place ? std::optional<size_t>(*place) : std::nullopt;
  }
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

Inode Listing::inode_at(size_t place) const {
  if (is_of_parts()) return entries_.first_part_ + place;
  const std::vector<Entry>& given = entries_.given_;
  return place < given.size() ? given[place].inode : unlisted_[place - given.size()].inode;
}

}  // namespace plainfs
