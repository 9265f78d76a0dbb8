// The listing of a directory, and the names that are found on lookup but not listed. Unlisted are files of
// remote stores with unknown sizes, because a client may ask for the size of every listed name, and names
// that repeat the store, so that a walk over the tree does not visit them. The listing holds the inodes of
// all its names. For parts, which may be millions, it generates each entry on request.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fs/tree/directory.h"
#include "fs/tree/inodes.h"

namespace plainfs {

// The listing of one directory. Immutable and thread-safe.
class Listing {
 public:
  struct Entry {
    std::string name;
    Inode inode;
    FileKind kind;                 // store: not yet known whether it opens
    bool shows_again = false;      // shows data of other names, for one program
    const FileRow* row = nullptr;  // FileIdentity::row
  };

  // The listed entries.
  class Entries {
   public:
    class Iterator {
     public:
      Iterator(const Entries& of, size_t place) : of_(&of), place_(place) {}
      Entry operator*() const { return (*of_)[place_]; }
      Iterator& operator++() {
        ++place_;
        return *this;
      }
      bool operator==(const Iterator&) const = default;

     private:
      const Entries* of_;
      size_t place_;
    };

    size_t size() const { return parts_ ? parts_->count() : given_.size(); }
    bool empty() const { return size() == 0; }
    // Requires: place < size().
    Entry operator[](size_t place) const {
      if (!parts_) return given_[place];
      return {parts_->at(place), first_part_ + place, FileKind::file};
    }
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size()}; }

   private:
    friend class Listing;
    std::vector<Entry> given_;
    FoundNamesPtr parts_;  // null: the entries are in given_
    Inode first_part_ = 0;
  };

  // shown: the entries of the directory. The first `listed` are listed; the next `unsized` are unlisted only
  // because of their sizes.
  Listing(std::shared_ptr<Inodes> inodes, Inode directory, std::span<const DirectoryEntry> shown,
          size_t listed, size_t unsized, Unopened unopened);
  // A listing of parts with the inodes from `first_part` on, which are held once.
  Listing(std::shared_ptr<Inodes> inodes, FoundNamesPtr parts, Inode first_part);
  ~Listing();
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;

  const Entries& entries() const { return entries_; }
  const std::vector<Entry>& unlisted() const { return unlisted_; }
  // Returns how many of the unlisted entries, from the first, are unlisted only because of their sizes.
  size_t unsized() const { return unsized_; }

  size_t size() const { return entries_.size() + unlisted_.size(); }
  // Returns how many entries, from the first, a walk through the whole store visits.
  size_t once() const { return entries_.size() + unsized_; }
  // Returns the entry at `place`: first the listed ones, then the unlisted ones.
  Entry at(size_t place) const {
    return place < entries_.size() ? entries_[place] : unlisted_[place - entries_.size()];
  }
  std::optional<size_t> find(std::string_view name) const;
  // Returns the inode at `place` without building the whole entry.
  Inode inode_at(size_t place) const;

  // Returns the members that may also be in the directory.
  const Unopened& unopened() const { return unopened_; }
  // Returns whether these are files found by their names, with sizes that one pass computes for all.
  bool is_of_parts() const { return entries_.parts_ != nullptr; }

 private:
  void release() const;

  const std::shared_ptr<Inodes> inodes_;
  const Inode directory_;  // held too; the range of parts holds its own directory
  Entries entries_;
  std::vector<Entry> unlisted_;
  size_t unsized_ = 0;
  std::unordered_map<std::string_view, size_t> places_;  // by name, for given entries
  Unopened unopened_;
};
using ListingPtr = std::shared_ptr<const Listing>;

}  // namespace plainfs
