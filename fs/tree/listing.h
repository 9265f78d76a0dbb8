// What a directory lists, and names that are found when they are asked for and that it does not list: of a
// store elsewhere files whose sizes are not known, since a listing may be followed by a question for each
// size; and what repeats the store, so that a walk over the tree does not come to it. The listing holds the
// inodes of all. Of parts, which may be millions, it makes each entry when it is asked for.
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

// Immutable and thread-safe.
class Listing {
 public:
  struct Entry {
    std::string name;
    Inode inode;
    FileKind kind;             // store: not yet known whether it opens
    bool shows_again = false;  // what other names show, for one program
  };

  // Those that are listed.
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
    FoundNamesPtr parts_;  // null: the entries are given
    Inode first_part_ = 0;
  };

  // shown: what the directory shows; first what it lists, as many as listed, then what it does not list for
  // its size alone, as many as unsized.
  Listing(std::shared_ptr<Inodes> inodes, Inode directory, std::span<const DirectoryEntry> shown,
          size_t listed, size_t unsized, Unopened unopened);
  // Of parts that have the inodes from first_part on, which are held once.
  Listing(std::shared_ptr<Inodes> inodes, FoundNamesPtr parts, Inode first_part);
  ~Listing();
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;

  const Entries& entries() const { return entries_; }
  const std::vector<Entry>& unlisted() const { return unlisted_; }
  // Of the unlisted the first, which are so for their sizes alone.
  size_t unsized() const { return unsized_; }

  size_t size() const { return entries_.size() + unlisted_.size(); }
  // How many, from the first, a walk through all of the store comes to.
  size_t once() const { return entries_.size() + unsized_; }
  // Those that are listed, and behind them the others.
  Entry at(size_t place) const {
    return place < entries_.size() ? entries_[place] : unlisted_[place - entries_.size()];
  }
  std::optional<size_t> find(std::string_view name) const;
  // The inode at a place, without the rest of its entry.
  Inode inode_at(size_t place) const;

  // What else may be in the directory.
  const Unopened& unopened() const { return unopened_; }
  // Files found by their names, of which one pass tells all sizes.
  bool is_of_parts() const { return entries_.parts_ != nullptr; }

 private:
  void release() const;

  const std::shared_ptr<Inodes> inodes_;
  const Inode directory_;  // held, too; the range of parts holds theirs
  Entries entries_;
  std::vector<Entry> unlisted_;
  size_t unsized_ = 0;
  std::unordered_map<std::string_view, size_t> places_;  // by names in the entries that are given
  Unopened unopened_;
};
using ListingPtr = std::shared_ptr<const Listing>;

}  // namespace plainfs
