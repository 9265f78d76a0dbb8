// What a group or an array of this container tells beyond the model, for formats that keep their arrays in
// HDF5 and have rules about types: attributes with their own type and shape, and strings that are NULL.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/containers/hdf5/source_file.h"

namespace plainfs::hdf5 {

// A base of the groups and arrays of this container; found by dynamic_cast.
class StoredObject {
 public:
  StoredObject(SourceFilePtr file, uint64_t address) : file_(std::move(file)), address_(address) {}
  virtual ~StoredObject() = default;

  const SourceFile& file() const { return *file_; }
  const SourceFilePtr& shared_file() const { return file_; }
  uint64_t address() const { return address_; }  // of the object header
  // The first of an array's variable-length strings that is a null pointer. Reads until it finds one.
  virtual std::optional<uint64_t> first_null_string() const { return std::nullopt; }

 private:
  SourceFilePtr file_;
  uint64_t address_;
};

}  // namespace plainfs::hdf5
