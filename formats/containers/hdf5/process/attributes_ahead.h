// Attributes that are read ahead. Listing a group reads the attributes of its members one after another, and
// often repeatedly. To avoid one question to libhdf5's process per member, a request for missing attributes
// includes those of the next members. Their number grows as long as the attributes are requested in the order
// of the listing. It covers one file at a time: the one that was listed last.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cache/mutex.h"
#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/process/protocol.h"

namespace plainfs::hdf5 {

struct FoundAttributes {
  std::vector<StoredAttribute> attributes;
  std::optional<Error> error;  // why there are no attributes
};

template <class Wire>
void describe(Wire& wire, Some<FoundAttributes> auto& found) {
  wire(found.error);
  if (!found.error) wire(found.attributes);
}

// Thread-safe. file: the number of a ProcessedFile.
class AttributesAhead {
 public:
  static constexpr size_t kMaxTogether = 256;
  static constexpr size_t kMaxListed = 1 << 16;  // objects with a recorded order

  // Appends objects to the list of those that were listed.
  void listed(uint64_t file, const std::vector<uint64_t>& objects);
  // Returns the attributes of an object if they were read ahead.
  std::optional<FoundAttributes> find(uint64_t file, uint64_t object);
  // Returns object, followed by the objects to request with it.
  std::vector<uint64_t> with_next(uint64_t file, uint64_t object);
  // Keeps attributes, except for transient errors. found: for the first of the objects, in that order.
  void keep(uint64_t file, const std::vector<uint64_t>& objects, const std::vector<FoundAttributes>& found);

 private:
  struct Kept {
    uint64_t object;
    FoundAttributes found;
  };
  void turn_to(uint64_t file) REQUIRES(mutex_);

  Mutex mutex_;
  uint64_t file_ GUARDED_BY(mutex_) = 0;              // of all members below
  std::vector<uint64_t> objects_ GUARDED_BY(mutex_);  // in the order of the listing
  size_t next_ GUARDED_BY(mutex_) = 0;                // index of the object after the last request
  size_t together_ GUARDED_BY(mutex_) = 1;
  std::deque<Kept> kept_ GUARDED_BY(mutex_);  // the latest last
};

}  // namespace plainfs::hdf5
