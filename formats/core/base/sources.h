// Where stores are read from: the one door through which every format opens files and folders by their
// location, "FOLDER/NAME". Nothing below fs opens a path by itself. Safe from any thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/containment.h"
#include "formats/core/base/file.h"
#include "formats/core/base/key_store.h"

namespace plainfs {

// Something that a store was read from, and what it looked like: another text once it was changed.
struct SourceStamp {
  std::string name;
  std::string stamp;
};

class Sources {
 public:
  virtual ~Sources() = default;

  // The open file, or null where nothing is there. Throws unreadable for every other reason (a dangling link,
  // as git-annex leaves where content was not fetched), damaged where it is no regular file, changed where
  // the location was used before and is another file now.
  virtual FilePtr open_if_exists(const std::string& location) = 0;
  // The keys are those of the files below a folder. Opening it reads nothing.
  virtual KeyStorePtr open_folder(const std::string& location) = 0;

  // Where a store is looked for: nothing is remembered of it, so what is looked at may still change.
  // Links are followed. Both throw unreadable where the system does not let it be seen.
  virtual EntryKind kind_of(const std::string& location) = 0;
  // Null where nothing is there, or no regular file, or it lies outside of the bounds.
  virtual FilePtr look_into(const std::string& location) = 0;

  // When what is at location, which was opened before, was last modified; zeros where that is not known.
  virtual timespec modified(const std::string& /*location*/) { return {}; }

  // Where what the store was opened from at location is now: at another path if the store was renamed since.
  virtual std::string place_of(const std::string& location) { return location; }
  // As stat(2) of what is there. False, with errno, if that fails.
  bool look(const std::string& location, struct stat& status);
  // Whether the metadata alone of a file changed that has the status now, and had the metadata mark before
  // (change_watch.h) at the same size and time of modification.
  virtual bool is_unwritten(const struct stat& now, uint64_t before);

  // What may be opened: a location that leads out of it is unreadable.
  virtual const Containment& bounds() const = 0;

  // All that has been asked for here, as it is now and was whenever it was read; nullopt where that cannot be
  // told.
  virtual std::optional<std::vector<SourceStamp>> stamps() { return std::nullopt; }
  // What one of stamps(), also of an earlier session, looks like now; nullopt as above.
  virtual std::optional<std::string> stamp(const std::string& /*name*/) { return std::nullopt; }

  // Forgets everything (SIGUSR1 reopens the store).
  virtual void clear() = 0;

  // As open_if_exists, where absence is an error: not_found.
  FilePtr open(const std::string& location);
  // A whole small file; throws damaged where it is larger than most_bytes.
  Bytes read_whole(const std::string& location, uint64_t most_bytes);
  std::optional<Bytes> read_whole_if_exists(const std::string& location, uint64_t most_bytes);
};

}  // namespace plainfs
