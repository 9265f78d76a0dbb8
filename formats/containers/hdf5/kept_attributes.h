// The attributes of the objects that were asked about last. Each schema reads those of the same few groups
// again, and decoding their types costs more than all else that is done with them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "cache/mutex.h"
#include "formats/core/model/elements/attribute.h"

namespace plainfs::hdf5 {

// A cache of attributes by the object's address. Thread-safe.
class KeptAttributes {
 public:
  // Returns the attributes of the object, or null if they are not kept.
  std::shared_ptr<const Attributes> find(uint64_t object) const;
  // Keeps attributes in place of those of another object, unless they are large or have an error.
  void keep(uint64_t object, const Attributes& attributes);

 private:
  struct Kept {
    uint64_t object = 0;
    std::shared_ptr<const Attributes> attributes;
  };
  static constexpr size_t kMaxKept = 64;
  static size_t place_of(uint64_t object);

  mutable Mutex mutex_;
  std::array<Kept, kMaxKept> kept_ GUARDED_BY(mutex_);
};

}  // namespace plainfs::hdf5
