// What passes over one store have measured, in earlier sessions and in this one, of the files that it is
// shown as (fs/text/measured.h). It is read when it is first asked for anything, and
// used only where everything that the store was read from is what it was then. Of a store that is one file an
// index may lie beside it as well, for everybody: who can write there can write the store.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cache/mutex.h"
#include "formats/core/base/sources.h"
#include "fs/index/index_folder.h"
#include "fs/text/measured.h"

namespace plainfs {

// Thread-safe. What cannot be read or written is told and done without: but for save(), nothing here throws
// Error.
class StoreIndex {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // store: its location. options: all that changes what its files hold, as text. sources: those that the
  // store is read through, which outlive this; tell: where it is said what came in the way. looks_beside:
  // whether what somebody has put beside the store is used too.
  StoreIndex(IndexFolderPtr folder, const std::string& store, const std::string& options, Sources& sources,
             std::function<void(const std::string&)> tell, bool looks_beside = false);

  // Of the file at that path, as shown from the store's root; null where nothing is known.
  // The first time, all that the store was read from is looked at.
  MeasuredPtr measured(const std::string& path);
  // Whether that costs no look at the store: it is not the first time.
  bool is_read();
  // What the index says of that path is wrong: nothing of it is used from now on or found in another session.
  // Whether it said anything.
  bool discard(const std::string& path);
  // Where it has a version and is not known.
  void add(const std::string& path, const MeasuredPtr& measured);

  // All that is known, as a file to be put beside the store (beside_location). Throws unsupported where the
  // store is more than one file, unreadable where nothing is known.
  Bytes to_lie_beside();

  // How long passes have taken, whose lengths are about to be added.
  void count(Duration passes);
  // Whether so much was counted since the last save() that it is worth one.
  bool is_due();
  // Writes what was added to what others have written meanwhile. is_wanted: also where it took no time worth
  // keeping; only then throws unreadable where it cannot be kept.
  void save(bool is_wanted);

 private:
  std::shared_ptr<const IndexFile> known();
  std::shared_ptr<const IndexFile> beside();
  bool is_valid(const IndexFile& file);
  std::unique_ptr<const IndexFile> open_valid();
  std::unique_ptr<const IndexFile> open_beside();
  void write(const std::map<std::string, Bytes>& added) REQUIRES(looking_);
  void told(const char* what, const Error& error) const;

  const IndexFolderPtr folder_;
  const std::string store_;
  const std::string name_;
  const std::string key_;
  const std::string key_beside_;  // wherever the store is
  const bool looks_beside_;
  Sources& sources_;
  const std::function<void(const std::string&)> tell_;
  Mutex looking_;  // held while the file is read or written and the store is looked at
  Mutex mutex_;    // nothing slow is done under it
  bool is_read_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<const IndexFile> known_ GUARDED_BY(mutex_);  // null: none that is of use
  std::map<std::string, Bytes> added_ GUARDED_BY(mutex_);      // not yet written
  bool is_beside_read_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<const IndexFile> beside_ GUARDED_BY(mutex_);  // null: none that is of use
  Duration passes_ GUARDED_BY(mutex_){0};                       // since the last save
  Duration saving_ GUARDED_BY(mutex_){0};                       // how long the last one took
};

// Where an index lies beside the store at that location.
inline std::string beside_location(const std::string& store) {
  return store + ".plainfs";
}

}  // namespace plainfs
