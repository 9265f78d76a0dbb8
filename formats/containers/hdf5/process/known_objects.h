// The objects of a file that libhdf5's process returned in one answer. They are kept as in that answer, since
// decoded types take many times the memory.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/process/protocol.h"

namespace plainfs::hdf5 {

// Const and thread-safe. Functions return nullopt if the answer does not contain what they look for.
class KnownObjects {
 public:
  KnownObjects() = default;
  // Reads the rest of an answer to Ask::tree. Throws damaged if it is no such answer.
  explicit KnownObjects(Reader& in);

  std::optional<StoredObjectFacts> object(uint64_t address) const;
  std::optional<std::vector<StoredLink>> links(uint64_t group) const;
  // The outer optional is empty if the links of the group are unknown.
  std::optional<std::optional<StoredLink>> find_link(uint64_t group, const std::string& name) const;
  std::optional<std::vector<StoredAttribute>> attributes(uint64_t object) const;

 private:
  // The positions of the parts of a known object.
  struct Place {
    size_t facts;
    size_t links;
    size_t attributes;
  };
  // Returns a reader at that part of an object.
  std::optional<Reader> at(uint64_t address, size_t Place::*part) const;

  Bytes bytes_;
  FileLayout layout_{};
  std::unordered_map<uint64_t, Place> places_;
};

}  // namespace plainfs::hdf5
