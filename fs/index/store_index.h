// The measurements of a store's files by passes in this and earlier sessions (fs/text/measured.h). The index
// is read at the first request. It is used only if everything that the store was read from is unchanged. For
// a store that is one file, an index may also be beside it, for all users: a user with write access there can
// replace the store itself.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cache/mutex.h"
#include "formats/core/base/sources.h"
#include "formats/core/model/context.h"
#include "fs/index/index_folder.h"
#include "fs/text/measured.h"

namespace plainfs {

// The index of one store. Thread-safe. Errors of reading and writing are reported as notices and have no
// further effect: only save() throws Error.
class StoreIndex {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // store: its location. options: everything that affects the content of its files, as text. sources: those
  // that the store is read through; they must outlive this. notice: receives notices. looks_beside: also use
  // an index beside the store.
  StoreIndex(IndexFolderPtr folder, const std::string& store, const std::string& options, Sources& sources,
             std::function<void(const std::string&)> notice, bool looks_beside = false);

  // Returns the measurements of the file at `path` from the store's root; null if there are no valid ones.
  // The first call examines everything that the store was read from.
  MeasuredPtr measured(const std::string& path);
  // Returns whether measured() no longer has to examine the store.
  bool is_read();
  // Discards the whole index, for this and later sessions, because its entry for `path` is wrong. Returns
  // whether there was an entry.
  bool discard(const std::string& path);
  // Discards the whole index.
  void discard();
  // Adds the measurements unless they have no version or are known.
  void add(const std::string& path, const MeasuredPtr& measured);

  // Returns the index as a file for the place beside the store (beside_location). Throws unsupported if the
  // store is more than one file, unreadable if nothing is known.
  Bytes to_lie_beside();

  // Adds to the time that passes have taken. Call it before adding their measurements.
  void count(Duration passes);
  // Returns whether enough time was counted since the last save() to make another one worthwhile.
  bool is_due();
  // Merges the additions with the index on disk and writes it. is_wanted: save even if the passes took little
  // time, and throw unreadable if that fails.
  void save(bool is_wanted);

 private:
  std::shared_ptr<const IndexFile> known();
  std::shared_ptr<const IndexFile> beside();
  bool is_valid(const IndexFile& file);
  std::unique_ptr<const IndexFile> open_valid();
  std::unique_ptr<const IndexFile> open_beside();
  void write(const std::map<std::string, Bytes>& added) REQUIRES(looking_);
  void log_failure(const char* what, const Error& error) const;

  const IndexFolderPtr folder_;
  const std::string store_;
  const std::string name_;
  const std::string key_;
  const std::string key_beside_;  // independent of the store's path
  const bool looks_beside_;
  Sources& sources_;
  const std::function<void(const std::string&)> notice_;
  Mutex looking_;  // held while the file is read or written and the store is examined
  Mutex mutex_;    // nothing slow is done under it
  bool is_read_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<const IndexFile> known_ GUARDED_BY(mutex_);  // null: no valid one
  std::map<std::string, Bytes> added_ GUARDED_BY(mutex_);      // not yet written
  bool is_beside_read_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<const IndexFile> beside_ GUARDED_BY(mutex_);  // null: no valid one
  Duration passes_ GUARDED_BY(mutex_){0};                       // since the last save
  Duration saving_ GUARDED_BY(mutex_){0};                       // duration of the last one
};

// Returns the path of an index beside the store at that location.
inline std::string beside_location(const std::string& store) {
  return store + ".plainfs";
}

// A file in one of the stores that one opening shows: the named store, or one inside a mirrored folder.
struct IndexPlace {
  std::string store;      // its location
  bool is_named = false;  // it is read by the context of the named store
  std::string path;       // from the store's root
};
using IndexPlacePtr = std::shared_ptr<const IndexPlace>;

// The indexes of all stores that one opening shows. Each is created when it is first used. Thread-safe.
class Indexes {
 public:
  // folder: null if nothing is kept. named: location of the named store. views: those that are shown.
  // context: of the named store; it must outlive this.
  Indexes(IndexFolderPtr folder, std::string named, const std::string& views, Context& context);

  // Creates indexes for the same stores and views in another folder.
  Indexes(IndexFolderPtr folder, const Indexes& like)
      : folder_(std::move(folder)), named_(like.named_), options_(like.options_), context_(like.context_) {}

  bool are_kept() const { return folder_ != nullptr; }
  // Requires: are_kept().
  StoreIndex& of(const IndexPlace& place);
  // Saves all indexes used so far, see StoreIndex::save. Throws the first error once it has tried them all.
  void save(bool is_wanted);

 private:
  const IndexFolderPtr folder_;
  const std::string named_;
  const std::string options_;
  Context& context_;
  Mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<StoreIndex>> indexes_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
