// An HDF5 file for writing. libhdf5 writes the metadata and the texts. Callers pass each chunk of numbers in
// its stored form, so they can compress chunks on all their threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/containers/hdf5/library/file_sink.h"
#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/base/bytes.h"

namespace plainfs::hdf5 {

// For one thread at a time. Each call takes the library's lock. Throws unsupported if the library does not
// accept the input, and the exceptions of the sink.
class WrittenFile {
 public:
  // user_block: see write_skeleton().
  explicit WrittenFile(FileSink& sink, const std::string& user_block = {});
  ~WrittenFile();
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  // Creates an object, after those above it. The next two functions write into it if it is a dataset.
  void add(const SkeletonObject& object);
  // Writes the chunk that begins at origin. stored: the whole chunk after the dataset's filters.
  void write_chunk(const std::vector<uint64_t>& origin, ByteSpan stored);
  // Writes elements [first, first + texts.size()), in C order, of a dataset of texts of any length. Requires:
  // no text contains a NUL; a dataset of several axes is written in whole lines of its last axis.
  void write_texts(uint64_t first, std::span<const std::string> texts);
  // Writes all of a dataset that is not chunked.
  void write_all(ByteSpan bytes);

  // Writes the rest of the file. No function may be called after it.
  void finish();

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace plainfs::hdf5
