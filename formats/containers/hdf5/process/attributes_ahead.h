// Listing a group looks at the attributes of its members, one after the other, and often again. So that
// each look is not a question to libhdf5's process, those of the next members are asked for along with one
// that is not there: more of them each time, as long as they are wanted in the order in which they were
// listed. One file at a time, the one that was listed last.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cache/mutex.h"
#include "formats/containers/hdf5/library/library_file.h"

namespace plainfs::hdf5 {

struct FoundAttributes {
  std::vector<StoredAttribute> attributes;
  std::optional<Error> error;  // why none can be told
};

// Thread-safe. file: the number of a ProcessedFile.
class AttributesAhead {
 public:
  static constexpr size_t kMostTogether = 256;
  static constexpr size_t kMostListed = 1 << 16;  // objects whose order is remembered

  // That these objects were listed, behind those before.
  void listed(uint64_t file, const std::vector<uint64_t>& objects);
  // The object's, where they are there.
  std::optional<FoundAttributes> find(uint64_t file, uint64_t object);
  // The object, and those to be asked for with it.
  std::vector<uint64_t> with_next(uint64_t file, uint64_t object);
  // found: of the first of the objects, in that order. What may pass is not kept.
  void keep(uint64_t file, const std::vector<uint64_t>& objects, const std::vector<FoundAttributes>& found);

 private:
  struct Kept {
    uint64_t object;
    FoundAttributes found;
  };
  void turn_to(uint64_t file) REQUIRES(mutex_);

  Mutex mutex_;
  uint64_t file_ GUARDED_BY(mutex_) = 0;              // of all that follows
  std::vector<uint64_t> objects_ GUARDED_BY(mutex_);  // as they were listed
  size_t next_ GUARDED_BY(mutex_) = 0;                // of them, behind what was asked for last
  size_t together_ GUARDED_BY(mutex_) = 1;
  std::deque<Kept> kept_ GUARDED_BY(mutex_);  // the latest last
};

}  // namespace plainfs::hdf5
