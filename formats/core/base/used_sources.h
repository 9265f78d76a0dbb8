// What each path of a store looked like when it was first used: 16 bytes a path, because a Zarr store may
// have millions of chunk files, and no more paths than it is told, because one may have thousands of millions
// that are not there. Where it is full it begins anew. Not thread-safe.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/base/sources.h"

namespace plainfs {

class PathFingerprints {
 public:
  // most_paths: about how many are remembered.
  explicit PathFingerprints(size_t most_paths = size_t{1} << 20) : most_paths_(most_paths) {}

  // Remembers fingerprint and the low 32 bits of metadata (a metadata mark) for a path that is new. False
  // where the path is known by another fingerprint. Paths are told apart by 64 bits of hash, fingerprints by
  // 32.
  bool matches(std::string_view path, uint64_t fingerprint, uint64_t metadata = 0);
  bool knows(std::string_view path) const;
  // Of a path that is known.
  uint32_t metadata(std::string_view path) const;
  void set_metadata(std::string_view path, uint64_t metadata);
  // Whether it began anew since it was made or cleared: what it does not know may have been used too.
  bool has_forgotten() const { return has_forgotten_; }
  void clear();

 private:
  size_t slot_of(uint64_t key) const;
  void make_room();

  const size_t most_paths_;
  // Open addressing with linear probing; a key of 0 is a free slot.
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> fingerprints_;
  std::vector<uint32_t> metadata_;
  size_t used_ = 0;
  bool has_forgotten_ = false;
};

// The sources of one store, which remembers what it was asked for, so that what was found out about the store
// can be kept beyond this session and known to be of use in the next. A store that is a folder may have
// millions of files: of each folder in it that was asked for anything, all that it holds makes one stamp. Of
// a store elsewhere each object has one, of which there may be a few only.

// All but stamps() is done by the sources that it is given, which outlive it; they tell the stamps of what is
// elsewhere, which the system knows nothing of.
// Whether a source that has the stamp now is what it was then. Another mode, owner, group or number of links
// explains another time of its last change.
bool is_same_source(const SourceStamp& then, std::string_view now);

class UsedSources : public Sources {
 public:
  // store: its location. What is asked for anywhere else is remembered file by file.
  // opened: nothing that was changed since then is taken for what it was.
  UsedSources(Sources& sources, const std::string& store, timespec opened = file_time());

  FilePtr open_if_exists(const std::string& location) override;
  KeyStorePtr open_folder(const std::string& location) override;
  EntryKind kind_of(const std::string& location) override;
  FilePtr look_into(const std::string& location) override { return sources_.look_into(location); }
  timespec modified(const std::string& location) override { return sources_.modified(location); }
  std::string place_of(const std::string& location) override { return sources_.place_of(location); }
  bool is_unwritten(const struct stat& now, uint64_t before) override {
    return sources_.is_unwritten(now, before);
  }
  const Containment& bounds() const override { return sources_.bounds(); }
  void clear() override { sources_.clear(); }

  // nullopt also where something is not what it was when it was first asked for; by the times of files, which
  // may be another clock's, was modified since this was made, or so lately before that a later modification
  // would look the same; and where too much was asked for.
  std::optional<std::vector<SourceStamp>> stamps() override;
  std::optional<std::string> stamp(const std::string& name) override;

 private:
  void note(const std::string& location);
  bool is_as_first(const std::string& name, const std::string& first);

  Sources& sources_;
  const std::string folder_;  // of a store that is one, with a slash at its end; else empty
  const timespec opened_;
  Mutex mutex_;
  // Names of stamps, of folders with a slash at their end; what a file or the folder itself was before it was
  // first used.
  std::unordered_map<std::string, std::string> used_ GUARDED_BY(mutex_);
  PathFingerprints fingerprints_ GUARDED_BY(mutex_);  // of the files that were opened, in folders
  std::string last_noted_ GUARDED_BY(mutex_);  // chunks of one folder are asked for one after the other
  bool are_too_many_ GUARDED_BY(mutex_) = false;
};

}  // namespace plainfs
