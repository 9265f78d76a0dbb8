// The directories, files and links under the mountpoint, each with an inode. An inode is an index into the
// tree: it is made when its directory is first listed and never used for anything else, so nothing parses a
// path. What an inode stands for may be let go (a store in a mirrored folder that was not used for long) and
// comes back, with the same name and inode, when it is asked for.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fs/tree/directory.h"

namespace plainfs {

using Inode = uint64_t;
inline constexpr Inode kRootInode = 1;

// A listed directory. Immutable.
struct Listing {
  struct Entry {
    std::string name;
    Inode inode;
    FileKind kind;  // store: not yet known whether it opens
  };
  std::vector<Entry> entries;
  std::unordered_map<std::string_view, size_t> index;  // name -> place in entries
};
using ListingPtr = std::shared_ptr<const Listing>;

// A file of the mount's own, such as .plainfs/log. Its content is made anew for each opening.
struct HiddenFile {
  std::string name;
  std::function<std::unique_ptr<ViewFile>()> open;
};

// What stands at the mountpoint: a store, or a directory in it.
struct Top {
  StorePtr store;
  std::vector<std::string> above;  // names from the store's root; empty = the root
  Node node;
};

// Thread-safe. An inode that no longer stands for anything, after reopen(), is Error(not_found).
class Tree {
 public:
  Tree(Top top, std::vector<const View*> views, Context& context);
  // subdir: a path as it is shown, "assays/RNA"; empty for the whole store. Throws not_found where it is no
  // directory.
  static Top top_of(StorePtr store, std::string_view subdir, std::vector<const View*> views,
                    Context& context);

  // Adds a directory to the root that is found by name but not listed. Before anything else is called.
  void add_hidden(const std::string& name, std::vector<HiddenFile> files);

  // Whether it is one of those, or a file in one.
  bool is_hidden(Inode inode) const { return inode > kRootInode && inode <= last_hidden_; }

  // Throws where the directory cannot be read; it is tried again the next time.
  ListingPtr list(Inode directory);
  // Throws not_found.
  Inode lookup(Inode directory, std::string_view name);

  FileKind kind(Inode inode);  // never FileKind::store
  Inode parent(Inode inode) const;
  std::string name(Inode inode) const;
  // Below the root: "/a/b.csv". For messages.
  std::string path(Inode inode) const;
  // The modification time of the store it is part of, or of the host's file it is.
  timespec modified(Inode inode);
  // On disk: the file or folder in a mirrored folder that the inode is, else the store it is part of.
  std::string source_path(Inode inode) const;
  // On disk: that of the store the inode is part of.
  std::string store_path(Inode inode) const;
  // Attributes of what the inode stands for.
  Attributes attributes(Inode inode);
  std::string target(Inode link);

  // Whether every opening of the file has a content of its own.
  bool changes(Inode file) const;
  // The file, opened where it is not open.
  std::shared_ptr<ViewFile> view(Inode file);
  // Its size, computed once.
  uint64_t size(Inode file);
  // The same where that takes no pass over the content, else nullopt.
  std::optional<uint64_t> known_size(Inode file);

  // The inode at a path of shown names; "." and ".." as usual, links not followed. Throws not_found.
  Inode find(std::string_view path);

  // Shows top instead of what was shown so far. Requires: no other call is under way.
  void reopen(Top top);
  // How many inodes there are: 1 to count.
  Inode count() const;

 private:
  using ShownPtr = std::shared_ptr<const Shown>;

  struct Directory {
    std::mutex listing_now;  // held by the one thread that lists it
    ListingPtr listing;      // of the last time; its inodes stay
    bool current = false;    // listing is what the store holds
    bool loaded = false;     // every entry's `shown` is set
    // From when on it is listed anew, because a fault that may pass has left something out of it.
    std::chrono::steady_clock::time_point again = std::chrono::steady_clock::time_point::max();
    bool is_due() const { return again <= std::chrono::steady_clock::now(); }
  };

  // What one inode is.
  struct Entry {
    Inode parent = 0;
    std::string name;
    FileKind kind = FileKind::file;
    ShownPtr shown;                        // null: let go
    std::unique_ptr<Directory> directory;  // of directories and stores
    std::shared_ptr<ViewFile> view;        // of an open file
    std::optional<uint64_t> size;          // of a file whose size was asked for
    OffsetsPtr offsets;                    // the same: for the next view
    std::atomic<bool> is_used{false};      // the view, lately; atomic: set with the mutex shared
    bool changes = false;
  };

  Entry& entry(Inode inode);
  const Entry& entry(Inode inode) const;
  ShownPtr shown(Inode inode);
  ShownPtr settle(Inode inode, const ShownPtr& shown);
  Node directory_node(const Shown& shown);
  Place place_of(Inode directory);
  void load(Inode directory);
  void publish(Inode directory, std::vector<Shown> all);
  Inode append(Inode parent, Shown shown);
  void let_go(const std::string& store_path);
  std::shared_ptr<ViewFile> keep(Inode file, std::shared_ptr<ViewFile> view);
  void close_some_views();
  void remember_size(Inode file, uint64_t size, const ViewFile& view);

  OpenStores stores_;
  Shelf shelf_;
  mutable std::shared_mutex
      mutex_;  // guards everything below and all of Entry and Directory but its own mutex
  std::deque<Entry> entries_;
  std::unordered_map<std::string, Inode> hidden_;
  Inode last_hidden_ = kRootInode;
  std::unordered_map<std::string, std::vector<Inode>> inner_stores_;  // by the path of the store
  std::deque<Inode> open_views_;                                      // the next one to be looked at first
  Top top_;
};

}  // namespace plainfs
