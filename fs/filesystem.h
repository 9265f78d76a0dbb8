// The mounted store as a file system. FUSE, the commands that work without a mount, and the tests call it. It
// knows nothing of FUSE and throws Error.
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

// How a store is presented.
struct Appearance {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t umask = 0;              // removed from 0644 and 0755
  bool is_for_others = false;    // true: never more permissive than the source file
  ChosenViews views;             // empty: all but `bin`
  std::string subdir;            // present only this directory, "assays/RNA"
  bool follows_folders = false;  // see Tree::follow_folders
  IndexFolderPtr index;          // where sizes are kept for the next session; null: nowhere
};

// Counters for .plainfs/stats.json, updated with relaxed atomics.
struct Requests {
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> bytes_read{0};
  std::atomic<uint64_t> errors{0};
  std::atomic<uint64_t> reopened{0};      // times the store was opened again
  std::atomic<uint64_t> not_reopened{0};  // times opening it again failed
};

// A file that one process has open.
struct OpenFile {
  OpeningPtr opening;  // declared before view, so that it is destroyed after it
  std::shared_ptr<ViewFile> view;
  Inode inode = 0;
  bool changes = false;  // each opening has its own content and size
};

struct Status {
  struct stat stat {};
  bool is_whole = true;  // false: the size is not known yet
  uint64_t opening = 0;  // times_reopened() when the status was taken
  // The reason why the file cannot be read, if it is known without a pass over the content. See
  // status_so_far().
  std::optional<Error> fault{};
};

// The object that an inode stands for, with the opening that holds it.
struct OpenMeaning {
  OpeningPtr opening;  // declared before `what`, which depends on it
  Meaning what;
};

// A store presented as a file system. Thread-safe. Inodes outlive reopen(). If the name of an inode no longer
// exists, calls throw not_found. Long operations throw Cancelled if the calling thread's Request is
// cancelled.
class Filesystem {
 public:
  // Throws not_found if appearance.subdir does not exist.
  Filesystem(StorePtr store, Appearance appearance, Context& context);

  // Adds a directory to the root that lookups find but listings omit. Call before any other member.
  void add_hidden(const std::string& name, std::vector<HiddenFile> files);
  // Adds a file to the root. It is listed if file.is_listed is set.
  void add_hidden_file(HiddenFile file);

  // Returns the store. The pointer keeps its whole opening alive.
  StorePtr store() const;
  // Returns whether the store is known to have changed since it was opened.
  bool has_changed() const;
  // Returns whether the store was missing when it was last reopened. None of its files are shown then.
  bool is_lost() const;
  Requests& requests() { return requests_; }

  FileKind kind(Inode inode);  // never FileKind::store
  // Returns whether each opening of the file has its own content.
  bool changes(Inode file);
  Inode parent(Inode inode) const { return inodes_->parent(inode); }
  std::string name(Inode inode) const { return current()->tree().name(inode); }
  // Returns the path below the root, "/a/b.csv", for messages.
  std::string path(Inode inode) const;
  // Return whether the inode, or that of `name` in the directory, belongs to the mount itself, such as
  // .plainfs and its files.
  bool is_own(Inode inode) const { return current()->tree().is_hidden(inode); }
  bool is_own(Inode directory, std::string_view name) const {
    return is_own(directory) || current()->tree().find_hidden(directory, name).has_value();
  }
  // Returns whether the inode is a part that a directory lists, with an inode of one opening of the store.
  bool is_listed_part(Inode inode) const { return inodes_->listed_part(inode).has_value(); }

  // Holds the inodes given to this thread until the visit ends. Inodes given outside of a visit are never
  // released. A caller that keeps an inode beyond the visit must hold it.
  using Visit = Inodes::Visit;
  Visit visit() { return Visit(*inodes_); }
  // Gives the inodes of a listing to this thread's visit.
  void give(const Listing& listing);
  void hold(Inode inode, uint64_t times = 1) { inodes_->hold(inode, times); }
  void release(Inode inode, uint64_t times = 1) { inodes_->release(inode, times); }
  // Returns how many names have inodes.
  Inodes::Statistics names() const { return inodes_->statistics(); }
  std::vector<Inodes::Named> named_inodes() const { return inodes_->all(); }

  Inode lookup(Inode directory, std::string_view name);
  // Returns the status that stat shows. The first call for a text file computes its size.
  struct stat status(Inode inode) {
    return status_with_size(inode).stat;
  }
  Status status_with_size(Inode inode) { return status(inode, true); }
  // Measures the sizes of `files`, as status() would, side by side: values that several files show are read
  // once. Calls has_measured(part, parts) after each part. A file that cannot be measured reports its error
  // when its status is requested.
  void measure_together(std::span<const Inode> files,
                        const std::function<void(uint64_t part, uint64_t parts)>& has_measured);
  // Measures one of `parts` parts of the content, so that several sessions, also on other machines, share the
  // pass: of a large text a range of it, of any other file the whole if has_turn is set.
  void measure_part(Inode file, uint64_t part, uint64_t parts, bool has_turn);
  // Returns the status without a pass over the content. A size that is unknown or unavailable is 0; `fault`
  // is set if it is unavailable because the file cannot be read.
  Status status_so_far(Inode inode);
  // Returns whether the inode is a directory that views generate (anndata.zarr/, bpcells/, by/), or below it.
  bool is_generated(Inode inode) { return current()->tree().is_generated(inode); }
  // Returns the status of a file with a size that cannot be computed. If the file is_generated(), the size is
  // 1: many readers of such a directory treat a name without a status as absent, and some treat an empty file
  // as one that was read. Returns nullopt for any other file.
  std::optional<Status> status_of_unreadable(Inode file);
  // Returns the status of `part` (Listing::is_of_parts), which `directory` is listing, without a pass over
  // its content. The size is known only if that does not require opening the part.
  Status status_in_listing(const Listing::Entry& part, const Status& directory);
  // Lists a directory. Throws changed if the store has changed, like open().
  ListingPtr list(Inode directory);
  // See Tree::is_followed.
  bool is_followed(Inode directory) { return current()->tree().is_followed(directory); }
  std::string read_link(Inode link);
  // Opens a file. Throws changed if the store has changed, so that data still in the kernel's cache are not
  // shown.
  OpenFile open(Inode file);
  // Reads `size` bytes from `offset` on. Returns fewer only at the end of the file.
  Slices read(const OpenFile& file, uint64_t offset, size_t size);
  // Reads without the pass that computes the size, see ViewFile::read_beginning.
  std::optional<Slices> read_beginning(const OpenFile& file, uint64_t offset, size_t size);

  // Returns "user.NAME" for each attribute that fits into an extended attribute of Linux.
  std::vector<std::string> attribute_names(Inode inode);
  // Returns the text of a text attribute, and any other value as compact JSON. Returns nullopt if absent.
  std::optional<std::string> attribute(Inode inode, std::string_view name);

  // See Tree::why_no_store.
  std::optional<Error> why_no_store(Inode inode) { return current()->tree().why_no_store(inode); }

  // Returns the object that the inode stands for. Throws changed if the store has changed, like open().
  OpenMeaning meaning(Inode inode);
  // See Tree::row.
  const FileRow* row(Inode file) { return current()->tree().row(file); }

  // Returns the inode at a path from the root ("/", "a/b.csv"). Does not follow links. Throws not_found.
  Inode find(std::string_view path);
  // Returns the inode at a path and follows links like the kernel. A link that leads out of the file system
  // is not_found.
  Inode resolve(std::string_view path);

  // Opens the store again while the old opening is still shown, then replaces it. Files opened before the
  // switch fail from then on. Throws unreadable if the store cannot be opened. A missing store is no longer
  // shown then, but one that is only unreadable for now is shown as before.
  void reopen();
  // Saves the results of passes over the store for the next session. Throws if that fails.
  void save_index() { current()->save_index(); }
  // Returns the index in the form that is kept beside the store (see StoreIndex::to_lie_beside).
  Bytes index_to_lie_beside() { return current()->tree().index_to_lie_beside(); }
  void save_index_in(IndexFolderPtr folder) { current()->tree().save_index_in(std::move(folder)); }
  // Returns the path on disk of the store that contains the inode.
  std::string store_path(Inode inode) { return current()->tree().store_path(inode); }
  // See Tree::source_path.
  std::string source_path(Inode inode) { return current()->tree().source_path(inode); }
  uint64_t times_reopened() const { return number_.load(std::memory_order_relaxed); }
  // Counts the error and logs it with the path in the store. Returns the errno to report.
  int report(Inode inode, const Error& error);
  // Sets a callback for front ends that pass sizes on. If a read finds that a size from an earlier session is
  // wrong, it reopens the store without the index of that session, calls `then`, and throws. Call before any
  // other member.
  void set_when_corrected(std::function<void()> then) { when_corrected_ = std::move(then); }
  // Sets the destination for the lines of report().
  void set_error_log(std::function<void(const std::string& line)> log) { log_error_ = std::move(log); }

 private:
  OpeningPtr current() const;
  Status status(Inode inode, bool with_size);
  void check_current(const OpenFile& file) const;
  void count_read(const Slices& slices);
  void correct(const OpenFile& file);
  mode_t mode(Tree& tree, Inode inode, mode_t most) const;
  mode_t readable_like(const struct stat& source) const;

  const Appearance appearance_;
  Context& context_;
  const std::shared_ptr<Inodes> inodes_ = std::make_shared<Inodes>();
  std::function<void(const std::string& line)> log_error_;
  std::function<void()> when_corrected_;
  // Added to each new opening as well.
  std::vector<std::pair<std::string, std::vector<HiddenFile>>> hidden_;
  std::vector<HiddenFile> hidden_files_;
  // The context of an opening that may still be in use: by its open files, and later by blocks that are
  // prepared ahead of a reader.
  struct UsedContext {
    std::shared_ptr<OpeningContext> context;
    std::optional<uint64_t> last_job;  // number of jobs that the workers had started when the opening ended
  };
  void end_contexts();

  std::vector<UsedContext> contexts_;  // of all openings but the first; guarded by reopening_
  mutable Mutex opening_mutex_;        // held only to copy opening_
  OpeningPtr opening_ GUARDED_BY(opening_mutex_);
  std::atomic<uint64_t> number_;  // of opening_; relaxed, as a read may equally come before reopen()
  Mutex reopening_;               // held by the thread that reopens
  Requests requests_;
};

// Returns the views that `list` names: "csv,npy,…", "all", or "listed" for default_views(). Throws
// Error(unsupported) for an unknown name.
ChosenViews views_named(std::string_view list);
// Returns the views of a mount without the option.
ChosenViews default_views();
// Returns `chosen` with the parts view added and parts listed.
ChosenViews with_parts_listed(ChosenViews chosen);

}  // namespace plainfs
