// The mounted store as a file system: what FUSE, the commands without a mount, and the tests call. Knows
// nothing of FUSE and throws Error.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/mutex.h"
#include "fs/opening.h"

namespace plainfs {

// How a store is shown.
struct Appearance {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t umask = 0;              // taken away from 0644 and 0755
  bool is_for_others = false;    // then nothing is shown more open than what it is read from
  ChosenViews views;             // none: all but `bin`
  std::string subdir;            // show this directory only, "assays/RNA"
  bool follows_folders = false;  // as Tree::follow_folders
  IndexFolderPtr index;          // where sizes are kept for the next session; null: nowhere
};

// Counted with relaxed atomics: sums for .plainfs/stats.json.
struct Requests {
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> bytes_read{0};
  std::atomic<uint64_t> errors{0};
  std::atomic<uint64_t> reopened{0};      // times the store was opened anew
  std::atomic<uint64_t> not_reopened{0};  // and could not be
};

// A file as one process has it open.
struct OpenFile {
  OpeningPtr opening;  // before the view, which ends before it
  std::shared_ptr<ViewFile> view;
  Inode inode = 0;
  bool changes = false;  // its size is not that of the next one who opens it
};

struct Status {
  struct stat stat {};
  bool is_whole = true;  // false: the size is not known yet
  uint64_t opening = 0;  // as times_reopened(): of what the store was when it was looked at
};

// What an inode stands for, in the opening that holds it.
struct OpenMeaning {
  OpeningPtr opening;  // before what is of it
  Meaning what;
};

// Thread-safe. Inodes outlive reopen(); one whose name is no longer there is not_found. What takes long ends
// with Cancelled where the calling thread's Request is cancelled.
class Filesystem {
 public:
  // Throws not_found where there is no such subdir.
  Filesystem(StorePtr store, Appearance appearance, Context& context);

  // Adds a directory to the root that is found by name but not listed. Before anything else is called.
  void add_hidden(const std::string& name, std::vector<HiddenFile> files);
  // One in the root itself, which is listed if it is to be.
  void add_hidden_file(HiddenFile file);

  // Holding it holds all of the opening that it is part of.
  StorePtr store() const;
  // Whether the store that is shown is known to be no longer what it was when it was opened.
  bool has_changed() const;
  // Returns whether the store was gone when it was last to be reopened: then nothing of it is shown.
  bool is_lost() const;
  Requests& requests() { return requests_; }

  FileKind kind(Inode inode);  // never FileKind::store
  // Whether every opening of the file has a content of its own.
  bool changes(Inode file);
  Inode parent(Inode inode) const { return inodes_->parent(inode); }
  std::string name(Inode inode) const { return current()->tree().name(inode); }
  // Below the root: "/a/b.csv". For messages.
  std::string path(Inode inode) const;
  // Whether it is a part that a directory lists, whose inode is of one opening of the store.
  bool is_listed_part(Inode inode) const { return inodes_->listed_part(inode).has_value(); }

  // Holds the inodes that this thread is given until it ends; what is given outside of any visit stays for
  // good. Whoever keeps an inode beyond the visit holds it.
  using Visit = Inodes::Visit;
  Visit visit() { return Visit(*inodes_); }
  // Gives the inodes of a listing to the visit of this thread.
  void give(const Listing& listing);
  void hold(Inode inode, uint64_t times = 1) { inodes_->hold(inode, times); }
  void release(Inode inode, uint64_t times = 1) { inodes_->release(inode, times); }
  // The names that have inodes.
  Inodes::Statistics names() const { return inodes_->statistics(); }
  std::vector<Inodes::Named> named_inodes() const { return inodes_->all(); }

  Inode lookup(Inode directory, std::string_view name);
  // What stat shows; the first one of a text file computes its size.
  struct stat status(Inode inode) {
    return status_with_size(inode).stat;
  }
  Status status_with_size(Inode inode) { return status(inode, true); }
  // Measures what status() would, of all these files side by side: values that several of them show are read
  // once. has_measured(part, parts) is called after each part. What cannot be measured says why when it is
  // asked for.
  void measure_together(std::span<const Inode> files,
                        const std::function<void(uint64_t part, uint64_t parts)>& has_measured);
  // The same without a pass over the content: where the size is not known yet, or cannot be, it is 0.
  Status status_so_far(Inode inode);
  // Returns whether the inode is a directory that views make (anndata.zarr/, bpcells/, by/), or below one.
  bool is_made(Inode inode) { return current()->tree().is_made(inode); }
  // Returns the status of a file whose size cannot be known. Of a file that is_made() the size is 1, as many
  // readers of such a directory take a name without a status for an absent one, and some an empty file for
  // one that was read. Any other file has no status then: nullopt.
  std::optional<Status> status_of_unreadable(Inode file);
  // The same of a part (Listing::is_of_parts) that the directory is listing, where that takes no opening of
  // it either.
  Status status_in_listing(const Listing::Entry& part, const Status& directory);
  // Throws changed as open does.
  ListingPtr list(Inode directory);
  bool is_followed(Inode directory) { return current()->tree().is_followed(directory); }  // as Tree's
  std::string read_link(Inode link);
  // Throws changed where the store is no longer what it was, so that what the kernel still keeps of it
  // is not shown.
  OpenFile open(Inode file);
  // Fewer bytes than size only at the end.
  Slices read(const OpenFile& file, uint64_t offset, size_t size);
  // The same without the pass that finds out the size, as ViewFile::read_beginning.
  std::optional<Slices> read_beginning(const OpenFile& file, uint64_t offset, size_t size);

  // "user.NAME" of each attribute that Linux can hold as an extended one.
  std::vector<std::string> attribute_names(Inode inode);
  // The text itself for a text, else compact JSON; nullopt where there is no such attribute.
  std::optional<std::string> attribute(Inode inode, std::string_view name);

  // As Tree's.
  std::optional<Error> why_no_store(Inode inode) { return current()->tree().why_no_store(inode); }

  // Throws changed as open does.
  OpenMeaning meaning(Inode inode);

  // The inode at a path from the root ("/", "a/b.csv"); links on the way and at the end are not followed.
  // Throws not_found.
  Inode find(std::string_view path);
  // The same with links followed as the kernel does; one that leads out of what is shown is not_found too.
  Inode resolve(std::string_view path);

  // Opens the store again, beside what is shown meanwhile, and then shows what it holds now; files opened
  // before that fail from then on. Throws unreadable if the store cannot be opened: nothing is shown any more
  // of one that is gone, and one that cannot be read for now stays as it was.
  void reopen();
  // Keeps for the next session what passes over the store have found out. Throws where that is not possible.
  void save_index() { current()->save_index(); }
  // What is kept, for a place beside the store (StoreIndex::to_lie_beside).
  Bytes index_to_lie_beside() { return current()->tree().index_to_lie_beside(); }
  void save_index_in(IndexFolderPtr folder) { current()->tree().save_index_in(std::move(folder)); }
  // On disk: that of the store the inode is part of.
  std::string store_path(Inode inode) { return current()->tree().store_path(inode); }
  uint64_t times_reopened() const { return number_.load(std::memory_order_relaxed); }
  // Counts the error and logs it with the path in the store; returns the errno to report.
  int report(Inode inode, const Error& error);
  // For front ends that pass sizes on: a read that shows that one of an earlier session is wrong throws,
  // opens the store anew without that session's index, and calls this. Before anything else.
  void set_when_corrected(std::function<void()> then) { when_corrected_ = std::move(then); }
  // Where report and warnings write.
  void set_error_log(std::function<void(const std::string& line)> log) { log_error_ = std::move(log); }

 private:
  OpeningPtr current() const;
  Status status(Inode inode, bool with_size);
  void check_current(const OpenFile& file) const;
  void count_read(const Slices& slices);
  void correct(const OpenFile& file);
  mode_t mode(Tree& tree, Inode inode, mode_t most) const;

  const Appearance appearance_;
  Context& context_;
  const std::shared_ptr<Inodes> inodes_ = std::make_shared<Inodes>();
  std::function<void(const std::string& line)> log_error_;
  std::function<void()> when_corrected_;
  // For the next opening.
  std::vector<std::pair<std::string, std::vector<HiddenFile>>> hidden_;
  std::vector<HiddenFile> hidden_files_;
  // Of an opening that may still be in use: by what it opened, and then by blocks that are made ahead of a
  // reader.
  struct UsedContext {
    std::shared_ptr<OpeningContext> context;
    std::optional<uint64_t> last_job;  // of those that the workers had taken when the opening was over
  };
  void end_contexts();

  std::vector<UsedContext> contexts_;  // of all openings but the first; guarded by reopening_
  mutable Mutex opening_mutex_;        // held to copy it
  OpeningPtr opening_ GUARDED_BY(opening_mutex_);
  std::atomic<uint64_t> number_;  // of opening_; relaxed: a read may as well have come before reopen()
  Mutex reopening_;               // held by the one who reopens
  Requests requests_;
};

// The views that "csv,npy,…" names, "all", or "listed", those of default_views(). Throws Error(unsupported)
// for a name that is none.
ChosenViews views_named(std::string_view list);
// Those of a mount without the option.
ChosenViews default_views();
// The same with parts among them, and listed.
ChosenViews with_parts_listed(ChosenViews chosen);

}  // namespace plainfs
