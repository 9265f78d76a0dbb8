// The elements of a dataset whose data lie in files of their own (H5Pset_external): stretches of several
// files, one behind the other. Read by pread, because libhdf5 looks for a relative name in the current
// folder, not beside the file that has it, and gives zeros where a file ends too early.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/containers/hdf5/source_file.h"

namespace plainfs::hdf5 {

class ExternalData {
 public:
  // bytes: of all elements. Throws damaged where the stretches have fewer. Does not open the files.
  ExternalData(const SourceFile& file, const std::vector<ExternalStretch>& stored, uint64_t bytes);

  // Bytes [position, position + out.size()) of the elements. Const and thread-safe. Throws damaged where a
  // file does not exist or ends before that.
  void read(uint64_t position, std::span<std::byte> out) const;

 private:
  struct Stretch {
    std::string path;
    uint64_t offset;
    uint64_t position;  // of its first byte in the elements
    uint64_t size;
  };

  Context& context_;
  std::vector<Stretch> stretches_;  // in order, without gaps
};

}  // namespace plainfs::hdf5
