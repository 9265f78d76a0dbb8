// The tree under the mountpoint for one opening of a store: directories, files and links, each with its inode
// (fs/tree/inodes.h). A directory is listed on the first access to something in it. Its content is dropped
// when many other directories were listed since, or together with its store in a mirrored folder, and is
// loaded again on demand: with the same names, and the same inodes as long as they are held. The contents in
// memory have a limit in bytes. A reopened store has a new Tree; running requests may still use the old one.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "fs/index/store_index.h"
#include "fs/tree/directory.h"
#include "fs/tree/inodes.h"
#include "fs/tree/listing.h"
#include "fs/tree/open_views.h"

namespace plainfs {

// A file of the mount itself, such as .plainfs/log. Its content is generated for each opening.
struct HiddenFile {
  std::string name;
  std::function<std::unique_ptr<ViewFile>()> open;
  bool is_listed = false;  // unless the store has a file of that name
};

// The object of the store that an inode stands for, for callers that need more than its bytes.
struct Meaning {
  Node node;                   // for a store in a folder: its root
  std::string member;          // see DirectoryEntry::member
  Context* context = nullptr;  // of the store that contains it
  StorePtr store{};
  bool is_store = false;  // a whole store
  FileIdentity identity{};
  PackFolder pack = nullptr;  // see ViewEntry::pack
};

// The directory at the mountpoint: a store, or a directory in it (-o subdir=).
struct Top {
  StorePtr store;
  std::vector<std::string> above;  // names from the store's root; empty = the root
  DirectoryEntry directory;        // without a name
};

// A tree of directories, files and links. Thread-safe. Throws not_found for an inode that does not exist in
// this opening.
class Tree {
 public:
  // subdir: a path as shown, such as "assays/RNA"; empty for the whole store. Throws not_found if it is not a
  // directory.
  // index: the folder that keeps sizes for the next session; null: none.
  Tree(StorePtr store, std::string_view subdir, ChosenViews views, Context& context,
       std::shared_ptr<Inodes> inodes, IndexFolderPtr index = nullptr);

  // Adds an unlisted directory to the root, found even if the root cannot be read. Must be called before
  // anything else.
  void add_hidden(const std::string& name, const std::vector<HiddenFile>& files);
  // Adds a file to the root itself in the same way.
  void add_hidden_file(const HiddenFile& file);

  // Follows changes of mirrored folders: a changed folder is listed again when it is listed, or when a name
  // that it did not have is looked up. Must be called before anything else.
  void follow_folders() { follows_folders_ = top_.store->is_folder; }

  // Returns the entry of the root that belongs to the mount, such as .plainfs; nullopt for any other name.
  std::optional<Inode> find_hidden(Inode directory, std::string_view name) const;
  // Returns whether the inode is such an entry or a file in one.
  bool is_hidden(Inode inode) const { return inode > kRootInode && inode <= last_hidden_; }

  // Returns the listing of the directory. Throws if it cannot be read; the next call tries again.
  ListingPtr list(Inode directory);
  // Returns the inode of `name` in the directory. Throws not_found.
  Inode lookup(Inode directory, std::string_view name);

  // Returns whether the inode is a folder that is listed again when it has changed.
  bool is_followed(Inode directory);

  FileKind kind(Inode inode);  // never FileKind::store
  // Returns the modification time of the store that contains the inode, or of the host's file that it stands
  // for; of joined stores the latest.
  timespec modified(Inode inode);
  // Returns a path on disk: the file or folder of a mirrored folder that the inode stands for, otherwise the
  // store that contains it.
  std::string source_path(Inode inode);
  // Returns the same; of joined stores, the location of each.
  std::vector<std::string> source_paths(Inode inode);
  // Returns the path on disk of the store that contains the inode.
  std::string store_path(Inode inode);
  // Return the inode's name, and its path below the root, like Inodes, also for listed parts.
  std::string name(Inode inode);
  std::string path(Inode inode);
  // Returns the attributes of the object that the inode stands for.
  Attributes attributes(Inode inode);
  // Returns why a file of a mirrored folder that looks like a store, by its name or first bytes, is not one.
  std::optional<Error> why_no_store(Inode inode);
  // Returns the object that the inode stands for. Opens a store if the inode enters one.
  Meaning meaning(Inode inode);
  // Returns the row by which a view shows the file; null for any other file, and for a listed part.
  const FileRow* row(Inode file);
  std::string target(Inode link);

  // Returns whether every opening of the file has its own content.
  bool changes(Inode file);
  // Returns whether the inode is a directory that views generate, or below one.
  bool is_generated(Inode inode);
  // Returns the file; opens it if it is not open. All callers share one view.
  std::shared_ptr<ViewFile> view(Inode file);
  // Returns the size of the file, computed once.
  uint64_t size(Inode file);
  // Returns the size if that takes no pass over the content, otherwise nullopt.
  std::optional<uint64_t> known_size(Inode file);
  // Returns the size of a part in a listing if that takes neither a pass nor opening the part; otherwise
  // nullopt.
  std::optional<uint64_t> listed_size(const Listing::Entry& part);
  // Discards the index entry of a file that proved wrong. Returns whether there was one
  // (StoreIndex::discard).
  bool discard_index(Inode file) noexcept;
  // Saves the results of passes for the next session, like StoreIndex::save.
  void save_index(bool is_wanted);
  // Saves all results of passes in a separate folder. Throws unreadable if they cannot be saved.
  void save_index_in(IndexFolderPtr folder);

  // Returns the whole saved index, like StoreIndex::to_lie_beside. Requires: it is saved.
  Bytes index_to_lie_beside() { return indexes_.of({top_.store->path, true, {}}).to_lie_beside(); }

  // The directories with contents in memory.
  struct Listed {
    size_t directories = 0;
    size_t bytes = 0;  // estimated
  };
  Listed listed() const;

  // Returns the inode at a path of shown names; "." and ".." work as usual, links are not followed. Throws
  // not_found.
  Inode find(std::string_view path);

 private:
  using Clock = std::chrono::steady_clock;
  using DirectoryEntryPtr = std::shared_ptr<const DirectoryEntry>;

  // The state of a folder of the host just before it was listed.
  struct HostFolder {
    std::string path;
    timespec modified{};
    timespec listed{};
  };

  // A file of the host that was not a store when it was checked; it may be one once it is complete.
  struct FailedStore {
    std::string path;
    off_t size = 0;
    timespec modified{};
  };

  // The content of a directory.
  struct Contents {
    ListingPtr listing;
    std::optional<HostFolder> folder;      // if it is followed
    std::vector<DirectoryEntryPtr> shown;  // in the order of the listing, the unlisted ones last
    size_t bytes = 0;                      // estimated, with what the entries refer to
  };
  using ContentsPtr = std::shared_ptr<const Contents>;

  struct Directory {
    Mutex listing_now;        // held by the thread that lists it
    bool has_found = false;   // its files are found by their names; it has no contents
    ContentsPtr contents;     // null: not listed yet, or dropped
    size_t listed_below = 0;  // directories in it that have contents; while there are any, it keeps its own
    bool is_in_turn = false;  // in turns_
    // Whether the contents were used since the last check. Atomic: set with the mutex shared.
    std::atomic<bool> is_used{false};
    // The time from which it is listed again, because an error that may pass has left something out.
    Clock::time_point again = Clock::time_point::max();
    bool is_due() const { return again <= Clock::now(); }
    size_t bytes() const { return contents ? contents->bytes : 0; }
  };

  // The state of an inode: of each directory and store that was entered, and of inodes that no directory
  // lists.
  struct Entry {
    FileKind kind = FileKind::file;
    bool changes = false;
    DirectoryEntryPtr own;                 // for inodes that no directory lists, and stores that do not open
    std::unique_ptr<Directory> directory;  // of directories and stores
  };
  using EntryPtr = std::shared_ptr<Entry>;

  // Objects to free after the mutex is released, because that closes files and releases names.
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
  ContentsPtr publish(Inode directory, DirectoryContent all, bool is_remote,
                      std::optional<HostFolder> folder = std::nullopt);
  std::optional<HostFolder> host_folder(const Node& directory, const DirectoryPlace& place);
  bool has_folder_changed(Inode directory);
  void check_failed_stores(Inode directory);
  void add_own_to_root(std::vector<DirectoryEntry>& shown);
  void let_some_go(Inode but, Freed& freed) REQUIRES(mutex_);
  void set_contents(Inode directory, ContentsPtr contents, Freed& freed) REQUIRES(mutex_);
  void may_drop(Inode inode, Directory& directory) REQUIRES(mutex_);
  void take_contents(Inode directory, Freed& freed) REQUIRES(mutex_);
  ContentsPtr at_hand(Inode directory) const REQUIRES_SHARED(mutex_);
  void list_above(Inode directory);
  void keep_measured(const Freed& freed) noexcept;
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
  IndexPlacePtr index_place(Inode file) noexcept;
  MeasuredPtr measured_before(const IndexPlace& place) noexcept;
  void save_if_due(const IndexPlace& place, Clock::duration pass) noexcept;
  void measure_with_listed(Inode file, const std::shared_ptr<ViewFile>& view);
  uint64_t remembered_size(Inode file, uint64_t size, const ViewFile& view);
  void add_measured(Indexes& indexes, bool forgets_released);
  // Returns a function that logs what housekeeping could not do.
  auto notice() const {
    return [this](const std::string& line) { listing_.context.notice(line); };
  }
  void let_go(const std::string& store_path);
  bool is_in_store(Inode inode, const std::string& store_path) const REQUIRES_SHARED(mutex_);

  const std::shared_ptr<Inodes> inodes_;
  OpenStores stores_;
  const ListingContext listing_;
  Indexes indexes_;
  const Top top_;
  bool follows_folders_ = false;  // constant once anything but add_hidden() is called, like the members below
  std::map<std::string, Inode, std::less<>> hidden_;
  std::vector<DirectoryEntry> listed_in_root_;  // files of the mount itself
  Inode last_hidden_ = kRootInode;
  const uint64_t owner_;  // of the inodes of parts
  OpenViews open_views_;
  mutable SharedMutex mutex_;  // also guards all of Entry and Directory, except Directory's own mutex
  std::unordered_map<Inode, EntryPtr> entries_ GUARDED_BY(mutex_);
  size_t entries_before_look_ GUARDED_BY(mutex_) = 1024;  // for entries that have lost their names
  Listed listed_ GUARDED_BY(mutex_);
  // Directories with contents that contain no others with contents, the next one to be checked first. Some
  // may have lost their contents or contain others by now.
  std::deque<Inode> turns_ GUARDED_BY(mutex_);
  // The paths of stores in a mirrored folder.
  std::unordered_map<Inode, std::string> inner_roots_ GUARDED_BY(mutex_);
  std::unordered_map<Inode, FailedStore> failed_stores_ GUARDED_BY(mutex_);  // in followed folders
};

}  // namespace plainfs
