// What is shown under the mountpoint of one opening of a store: directories, files and links, each under its
// inode (fs/tree/inodes.h). A directory is listed when something in it is first asked for. What it holds is
// let go again when many others were listed since, or with its store in a mirrored folder, and comes back
// when it is asked for: with the same names, and the same inodes as long as somebody holds those. When the
// store is opened anew there is a new Tree; this one may still be asked by those who began before.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "fs/index/indexes.h"
#include "fs/tree/directory.h"
#include "fs/tree/inodes.h"
#include "fs/tree/listing.h"
#include "fs/tree/open_views.h"
#include "fs/tree/top.h"

namespace plainfs {

// A file of the mount's own, such as .plainfs/log. Its content is made anew for each opening.
struct HiddenFile {
  std::string name;
  std::function<std::unique_ptr<ViewFile>()> open;
  bool is_listed = false;  // unless the store has a file of that name
};

// What an inode stands for in the store, for who tells more of it than its bytes.
struct Meaning {
  Node node;                   // of a store in a folder its root
  std::string member;          // as DirectoryEntry has it
  Context* context = nullptr;  // of the store that it is part of
  StorePtr store{};
  bool is_store = false;  // all of it
};

// Thread-safe. An inode that stands for nothing in this opening is Error(not_found).
class Tree {
 public:
  // subdir: a path as it is shown, "assays/RNA"; empty for the whole store. Throws not_found where it is no
  // directory.
  // index: where sizes are kept for the next session; null: nowhere.
  Tree(StorePtr store, std::string_view subdir, ChosenViews views, Context& context,
       std::shared_ptr<Inodes> inodes, IndexFolderPtr index = nullptr);

  // Adds a directory to the root that is not listed, and found even where the root cannot be read. Before
  // anything else is called.
  void add_hidden(const std::string& name, const std::vector<HiddenFile>& files);
  // One in the root itself, likewise.
  void add_hidden_file(const HiddenFile& file);

  // From now on a mirrored folder that has changed is listed again when it is listed, or asked for a name
  // that it did not have. Before anything else is called.
  void follow_folders() { follows_folders_ = top_.store->format == "folder"; }

  // Returns the entry of the root that is not the store's own, as .plainfs; nullopt for any other name.
  std::optional<Inode> find_hidden(Inode directory, std::string_view name) const;
  // Returns whether the inode is one of those, or of a file in one.
  bool is_hidden(Inode inode) const { return inode > kRootInode && inode <= last_hidden_; }

  // Throws where the directory cannot be read; it is tried again the next time.
  ListingPtr list(Inode directory);
  // Throws not_found.
  Inode lookup(Inode directory, std::string_view name);

  // Whether it is a folder that is listed again when it has changed.
  bool is_followed(Inode directory);

  FileKind kind(Inode inode);  // never FileKind::store
  // The modification time of the store it is part of, or of the host's file it is.
  timespec modified(Inode inode);
  // On disk: the file or folder in a mirrored folder that the inode is, else the store it is part of.
  std::string source_path(Inode inode);
  // On disk: that of the store the inode is part of.
  std::string store_path(Inode inode);
  // Its name and its path below the root, as Inodes has them, of listed parts too.
  std::string name(Inode inode);
  std::string path(Inode inode);
  // Attributes of what the inode stands for.
  Attributes attributes(Inode inode);
  // Of a file of a mirrored folder that its name or its first bytes say to be a store: why it is none.
  std::optional<Error> why_no_store(Inode inode);
  // Opens a store in a folder that is entered by it.
  Meaning meaning(Inode inode);
  std::string target(Inode link);

  // Whether every opening of the file has a content of its own.
  bool changes(Inode file);
  // Whether the inode is a directory that views make, or below one.
  bool is_made(Inode inode);
  // The file, opened where it is not open; the same one for all.
  std::shared_ptr<ViewFile> view(Inode file);
  // Its size, computed once.
  uint64_t size(Inode file);
  // The same where that takes no pass over the content, else nullopt.
  std::optional<uint64_t> known_size(Inode file);
  // The same of a part that its directory is listing, where that takes no opening of it either.
  std::optional<uint64_t> listed_size(const Listing::Entry& part);
  // What the index says of that file is wrong, as StoreIndex::discard has it.
  bool discard_index(Inode file);
  // Keeps for the next session what passes have found out, as StoreIndex::save does.
  void save_index(bool is_wanted);
  // The same, all of it, in a folder of its own. Throws unreadable where it cannot be kept.
  void save_index_in(IndexFolderPtr folder);

  // All of it that is kept, as StoreIndex::to_lie_beside. Requires: it is kept.
  Bytes index_to_lie_beside() { return indexes_.of({top_.store->path, true, {}}).to_lie_beside(); }

  // The inode at a path of shown names; "." and ".." as usual, links not followed. Throws not_found.
  Inode find(std::string_view path);

 private:
  using Clock = std::chrono::steady_clock;
  using DirectoryEntryPtr = std::shared_ptr<const DirectoryEntry>;

  // A folder of the host as it was just before it was listed.
  struct HostFolder {
    std::string path;
    timespec modified{};
    timespec listed{};
  };

  // A file of the host that was no store when it was looked at: it may be one now that it is whole.
  struct FailedStore {
    std::string path;
    off_t size = 0;
    timespec modified{};
  };

  // What a directory holds.
  struct Contents {
    ListingPtr listing;
    std::optional<HostFolder> folder;      // if it is one that is followed
    std::vector<DirectoryEntryPtr> shown;  // as many as the listing has, the unlisted ones last
  };
  using ContentsPtr = std::shared_ptr<const Contents>;

  struct Directory {
    Mutex listing_now;       // held by the one thread that lists it
    bool has_found = false;  // its files are found by their names; it has no contents
    ContentsPtr contents;    // null: not listed yet, or let go
    size_t listed_below =
        0;  // how many directories in it have contents; until there are none it keeps its own
    // Whether the contents were wanted since they were last looked at. Atomic: set with the mutex shared.
    std::atomic<bool> is_used{false};
    // From when on it is listed anew, because a fault that may pass has left something out of it.
    Clock::time_point again = Clock::time_point::max();
    bool is_due() const { return again <= Clock::now(); }
    size_t names() const { return contents ? contents->listing->size() : 0; }
  };

  // What is known of an inode: of each directory and store that was entered, and of what no directory lists.
  struct Entry {
    FileKind kind = FileKind::file;
    bool changes = false;
    DirectoryEntryPtr own;                 // of what no directory lists, and of a store that does not open
    std::unique_ptr<Directory> directory;  // of directories and stores
  };
  using EntryPtr = std::shared_ptr<Entry>;

  // What is freed once the mutex is: files are closed with it, and names given back.
  struct Freed {
    std::vector<std::pair<Inode, ContentsPtr>> contents;  // by directory
    std::vector<std::shared_ptr<ViewFile>> views;
  };

  EntryPtr met(Inode inode) const REQUIRES_SHARED(mutex_);
  EntryPtr entry(Inode inode);
  EntryPtr add(Inode inode, FileKind kind) REQUIRES(mutex_);
  void forget_lost_names() REQUIRES(mutex_);
  ContentsPtr contents(Inode directory);
  void refresh(Inode directory);
  ContentsPtr publish(Inode directory, DirectoryContent all, bool is_elsewhere,
                      std::optional<HostFolder> folder = std::nullopt);
  std::optional<HostFolder> host_folder(const Node& directory, const DirectoryPlace& place);
  bool has_folder_changed(Inode directory);
  void check_failed_stores(Inode directory);
  void add_own_to_root(std::vector<DirectoryEntry>& shown);
  void let_some_go(Inode but, Freed& freed) REQUIRES(mutex_);
  void set_contents(Inode directory, ContentsPtr contents, Freed& freed) REQUIRES(mutex_);
  void take_contents(Inode directory, Freed& freed) REQUIRES(mutex_);
  ContentsPtr at_hand(Inode directory) const REQUIRES_SHARED(mutex_);
  void list_above(Inode directory);
  void keep_measured(const Freed& freed);
  bool is_known_size(Inode file);
  std::vector<std::shared_ptr<ViewFile>> forget_faults(const Contents& contents);
  DirectoryEntryPtr held(Inode inode) const REQUIRES_SHARED(mutex_);
  void check_is_shown(Inode inode);
  FoundFilesPtr found_in(Inode directory);
  DirectoryEntryPtr shown(Inode inode);
  void settle(Inode inode);
  Node directory_node(const DirectoryEntry& shown);
  DirectoryPlace place_of(Inode directory);
  std::optional<Inode> find_unlisted(Inode directory, std::string_view name);
  IndexPlace index_place(Inode file);
  void measure_with_listed(Inode file, const std::shared_ptr<ViewFile>& view);
  uint64_t remembered_size(Inode file, uint64_t size, const ViewFile& view);
  void save(Indexes& indexes, bool is_wanted);
  void let_go(const std::string& store_path);
  bool is_in_store(Inode inode, const std::string& store_path) const REQUIRES_SHARED(mutex_);

  const std::shared_ptr<Inodes> inodes_;
  OpenStores stores_;
  const ListingContext listing_;
  Indexes indexes_;
  const Top top_;
  bool follows_folders_ = false;  // the same once anything but add_hidden() is called, as what follows
  std::unordered_map<std::string, Inode> hidden_;
  std::vector<DirectoryEntry> listed_in_root_;  // of the mount's own
  Inode last_hidden_ = kRootInode;
  const uint64_t owner_;  // of the parts' inodes
  OpenViews open_views_;
  mutable SharedMutex mutex_;  // guards all of Entry and Directory, too, but its own mutex
  std::unordered_map<Inode, EntryPtr> entries_ GUARDED_BY(mutex_);
  size_t entries_before_look_ GUARDED_BY(mutex_) = 1024;  // for those whose names are gone
  // Directories that have contents, the next one to be looked at first, and how many names those have.
  std::deque<Inode> listed_ GUARDED_BY(mutex_);
  size_t names_listed_ GUARDED_BY(mutex_) = 0;
  size_t names_kept_ GUARDED_BY(mutex_) = 0;  // of directories in which others have contents
  // The paths of stores in a mirrored folder.
  std::unordered_map<Inode, std::string> inner_roots_ GUARDED_BY(mutex_);
  std::unordered_map<Inode, FailedStore> failed_stores_ GUARDED_BY(mutex_);  // in folders that are followed
};

}  // namespace plainfs
