// Sources of bytes: the only interface through which formats open files and folders, by their location
// "FOLDER/NAME". No code below fs opens a path directly. Thread-safe.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/containment.h"
#include "formats/core/base/file.h"
#include "formats/core/base/inside.h"
#include "formats/core/base/key_store.h"

namespace plainfs {

// A source that a store was read from, with a text that differs after the source has changed.
struct SourceStamp {
  std::string name;
  std::string stamp;
};

class Sources {
 public:
  virtual ~Sources() = default;

  // Opens a file. Returns null if nothing exists at `location`. Throws damaged if it is not a regular file,
  // changed if the location was used before and is a different file now, and unreadable for every other
  // reason (for example a dangling link, as git-annex leaves for content that was not fetched).
  virtual FilePtr open_if_exists(const std::string& location) = 0;
  // Opens a folder. Its keys are the files below it. Reads nothing yet.
  virtual KeyStorePtr open_folder(const std::string& location) = 0;

  // Return what is at `location` while a store is being recognised. Nothing is remembered, so it may still
  // change. Links are followed. Both throw unreadable if the system denies access.
  virtual EntryKind kind_of(const std::string& location) = 0;
  // Returns null if nothing or no regular file is there, or if it lies outside of the bounds.
  virtual FilePtr look_into(const std::string& location) = 0;

  // Announces that the files below `location` have about this many bytes at most.
  virtual void expect_sizes(const std::string& /*location*/, uint64_t /*bytes*/) {}

  // Returns when the source at `location`, which was opened before, was last modified; zeros if unknown.
  virtual timespec modified(const std::string& /*location*/) { return {}; }

  // Returns the present path of the store that was opened from `location`: another path if the store was
  // renamed.
  virtual std::string place_of(const std::string& location) { return location; }
  // Calls stat(2) for the present path of `location`. Returns false, with errno, if that fails.
  bool look(const std::string& location, struct stat& status);
  // Returns whether only the metadata changed of the file with status `now`, if its metadata mark was
  // `before` (change_watch.h) at the same size and time of modification.
  virtual bool is_unwritten(const struct stat& now, uint64_t before);

  // Returns the bounds of what may be opened. A location that leads out of them is unreadable.
  virtual const Containment& bounds() const = 0;

  // Returns the stamps of all sources used so far, if they are now as they were at each read; nullopt if that
  // cannot be determined.
  virtual std::optional<std::vector<SourceStamp>> stamps() { return std::nullopt; }
  // Announces calls of stamp() for all these sources, so that a server can be asked about many at once.
  virtual void will_stamp(const std::vector<SourceStamp>& /*known*/) {}
  // Returns the present stamp of a name from stamps(), also of an earlier session; nullopt if it cannot be
  // determined.
  virtual std::optional<std::string> stamp(const std::string& /*name*/) { return std::nullopt; }

  // Returns the files that have files inside. A location inside one of them is opened, listed and examined
  // like any other.
  virtual InsideFiles& inside() { return inside_; }

  // Forgets everything (SIGUSR1 reopens the store).
  virtual void clear() = 0;

  // Opens a file like open_if_exists, but throws not_found if it is absent.
  FilePtr open(const std::string& location);
  // Returns all bytes of a small file. Throws damaged if it is larger than max_bytes.
  Bytes read_whole(const std::string& location, uint64_t max_bytes);
  std::optional<Bytes> read_whole_if_exists(const std::string& location, uint64_t max_bytes);

 private:
  InsideFiles inside_;
};

}  // namespace plainfs
