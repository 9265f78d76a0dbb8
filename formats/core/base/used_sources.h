// The sources that a store was read from (UsedSources), and the state of each of its paths at the first use
// (PathFingerprints).
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/base/sources.h"

namespace plainfs {

// The state of each path of a store at its first use. An entry takes 16 bytes, because a Zarr store may have
// millions of chunk files. Their number is limited, because a store may have thousands of millions of absent
// chunks. A full table is cleared and filled again. Not thread-safe.
class PathFingerprints {
 public:
  // max_paths: the approximate number of paths to remember.
  explicit PathFingerprints(size_t max_paths = size_t{1} << 20) : max_paths_(max_paths) {}

  // Records `fingerprint` and the low 32 bits of `metadata` (a metadata mark) for a path that is new. Returns
  // false if the path is known with another fingerprint. Paths are compared by 64 bits of hash, fingerprints
  // by 32.
  bool matches(std::string_view path, uint64_t fingerprint, uint64_t metadata = 0);
  bool knows(std::string_view path) const;
  // Returns the metadata of a known path.
  uint32_t metadata(std::string_view path) const;
  void set_metadata(std::string_view path, uint64_t metadata);
  // Returns whether the table was cleared for lack of room since it was created or cleared by clear(). A path
  // that it does not know may then have been used too.
  bool has_forgotten() const { return has_forgotten_; }
  void clear();

 private:
  size_t slot_of(uint64_t key) const;
  void make_room();

  const size_t max_paths_;
  // Open addressing with linear probing; a key of 0 is a free slot.
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> fingerprints_;
  std::vector<uint32_t> metadata_;
  size_t used_ = 0;
  bool has_forgotten_ = false;
};

// Returns whether a source with the stamp `now` is unchanged since `then`. A different mode, owner, group or
// number of links explains a different time of the last change.
bool is_same_source(const SourceStamp& then, std::string_view now);

// Returns the error for a store, or joined ones, without stamps: `unsupported` if all are remote, else
// `changed`.
Error without_stamps(const std::vector<std::string>& stores);

// The sources of one store, with a record of what was read, so that results about the store can be kept
// beyond this session and reused safely in the next. A local folder may have millions of files, so each
// folder with a file that was read has one stamp for all of its entries. So has a remote store that can be
// listed. In other remote stores each object has a stamp, so their number is limited.
//
// All functions but stamps() forward to the sources it was given, which must outlive it. Those also supply
// the stamps of remote objects, for which the system has no status.
class UsedSources : public Sources {
 public:
  // store: its location. Sources outside of it are recorded file by file. opened: a source that was modified
  // after this time does not count as unchanged.
  UsedSources(Sources& sources, const std::string& store, timespec opened = file_time());

  // Adds another store, of which the sources are recorded like those of the first. Call it before anything is
  // opened.
  void add_store(const std::string& store);

  FilePtr open_if_exists(const std::string& location) override;
  KeyStorePtr open_folder(const std::string& location) override;
  EntryKind kind_of(const std::string& location) override;
  FilePtr look_into(const std::string& location) override { return sources_.look_into(location); }
  void expect_sizes(const std::string& location, uint64_t bytes) override {
    sources_.expect_sizes(location, bytes);
  }
  timespec modified(const std::string& location) override { return sources_.modified(location); }
  std::string place_of(const std::string& location) override { return sources_.place_of(location); }
  bool is_unwritten(const struct stat& now, uint64_t before) override {
    return sources_.is_unwritten(now, before);
  }
  const Containment& bounds() const override { return sources_.bounds(); }
  InsideFiles& inside() override { return sources_.inside(); }
  void clear() override { sources_.clear(); }

  // Returns nullopt also if a source differs from its first use, if too many sources were used, or if a
  // source was modified since this object was created, or so shortly before that a later modification would
  // look the same (by file times, which may be of another clock).
  std::optional<std::vector<SourceStamp>> stamps() override;
  void will_stamp(const std::vector<SourceStamp>& known) override { sources_.will_stamp(known); }
  std::optional<std::string> stamp(const std::string& name) override;
  // Returns the names of the sources used so far, those of folders with a slash at their end; none if they
  // were too many to keep.
  std::vector<std::string> names();

 private:
  class NotedFolder;

  void note(const std::string& location);
  void note_one(const std::string& location);
  void note_remote(const std::string& url);
  std::optional<std::vector<SourceStamp>> remote_stamps();
  bool is_as_first(const std::string& name, const std::string& first);

  Sources& sources_;
  bool is_in_folder(const std::string& location) const;

  std::vector<std::string> folders_;  // of the stores that are folders, with a slash at the end
  const timespec opened_;
  Mutex mutex_;
  // The states of files and folders before their first use, by the name of their stamp. Names of folders end
  // with a slash.
  std::unordered_map<std::string, std::string> used_ GUARDED_BY(mutex_);
  PathFingerprints fingerprints_ GUARDED_BY(mutex_);  // of files that were opened in folders
  std::string last_noted_ GUARDED_BY(mutex_);  // chunks of one folder are requested one after the other
  bool are_too_many_ GUARDED_BY(mutex_) = false;
  // URLs; those of folders end with a slash.
  std::set<std::string> objects_ GUARDED_BY(mutex_), remote_folders_ GUARDED_BY(mutex_);
  bool are_objects_too_many_ GUARDED_BY(mutex_) = false;
};

}  // namespace plainfs
