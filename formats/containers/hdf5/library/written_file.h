// An HDF5 file that is written: libhdf5 writes the metadata and the texts, callers give it each chunk of
// numbers as it is to be stored, so that they compress chunks on all their threads.
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

// One thread at a time. Each call takes the library's lock. Throws unsupported if the library does not take
// what it is given, and what the sink throws.
class WrittenFile {
 public:
  explicit WrittenFile(FileSink& sink);
  ~WrittenFile();
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  // Creates an object, after those above it. A dataset is the one that the next two functions write into.
  void add(const SkeletonObject& object);
  // Writes the chunk that begins at origin: whole, filtered as the dataset says.
  void write_chunk(const std::vector<uint64_t>& origin, ByteSpan stored);
  // Writes elements [first, first + texts.size()) in C order of a dataset of texts of any length. Requires:
  // no text holds a NUL; a dataset of several axes is written in whole lines of its last axis.
  void write_texts(uint64_t first, std::span<const std::string> texts);
  // Writes all of a dataset that is not divided into chunks.
  void write_all(ByteSpan bytes);

  // Writes what is left. Nothing may be called after it.
  void finish();

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace plainfs::hdf5
