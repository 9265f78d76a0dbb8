// What objects a service says there are below a location.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/key_store.h"
#include "formats/core/remote/remote_object.h"

namespace plainfs::remote {

// Thread-safe.
class Listing {
 public:
  virtual ~Listing() = default;
  // What is directly in the folder at location, by name; nothing in one that is not there.
  virtual std::vector<Entry> list(const std::string& location) = 0;
  // What is known of the object at location by what was listed so far: nullopt where that says nothing.
  struct Known {
    EntryKind kind;
    Version version;  // of a file; one without an ETag says nothing but the size
  };
  virtual std::optional<Known> known(const std::string& location) = 0;
};

}  // namespace plainfs::remote
