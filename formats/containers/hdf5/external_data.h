// The elements of a dataset with external data (H5Pset_external): consecutive stretches of several files.
// They are read by pread. libhdf5 would look for a relative name in the current folder instead of beside the
// HDF5 file, and would return zeros if a file ends too early.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/containers/hdf5/source_file.h"

namespace plainfs::hdf5 {

class ExternalData {
 public:
  // bytes: of all elements. Throws damaged if the stretches have fewer bytes. Does not open the files.
  ExternalData(const SourceFile& file, const std::vector<ExternalStretch>& stored, uint64_t bytes);

  // Reads bytes [position, position + out.size()) of the elements. Const and thread-safe. Throws damaged if a
  // file does not exist or ends too early.
  void read(uint64_t position, std::span<std::byte> out) const;

 private:
  struct Stretch {
    std::string path;
    uint64_t offset;
    uint64_t position;  // of its first byte, among the elements' bytes
    uint64_t size;
  };

  Context& context_;
  std::vector<Stretch> stretches_;  // in order, without gaps
};

}  // namespace plainfs::hdf5
