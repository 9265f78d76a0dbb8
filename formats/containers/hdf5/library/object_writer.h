// Creates groups, datasets and attributes in a file that libhdf5 writes.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <unordered_set>

#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/library/skeleton.h"

namespace plainfs::hdf5 {

// Requires: the library's lock is held for every call and at destruction.
class ObjectWriter {
 public:
  // Creates a file. access: a list of access properties with the driver that determines the destination.
  // user_block: bytes before the file's own, 0 or a power of 2 from 512 on.
  explicit ObjectWriter(hid_t access, uint64_t user_block = 0);

  // Creates a group or a dataset with its attributes, and the groups above it. Returns the dataset, or no
  // handle for a group. Throws damaged if the library does not accept it.
  DatasetHandle add(const SkeletonObject& object);

  // Closes the file, which writes everything that the library still holds.
  void finish();

 private:
  void add_groups_above(const std::string& path);
  DatasetHandle add_dataset(const SkeletonObject& object, const SkeletonDataset& dataset);

  std::unordered_set<std::string> generated_;  // paths
  FileHandle file_;
  PropertyHandle links_;
  PropertyHandle groups_;
  PropertyHandle contiguous_;
};

// Returns a new list of access properties.
PropertyHandle access_list();

// Returns the type of texts of any length.
TypeHandle variable_text_type();

}  // namespace plainfs::hdf5
