// The content of a compressed file as a file of its own, for readers that need random access to it.
#pragma once

#include <memory>

#include "formats/core/unpacked/unpacked_bytes.h"

namespace plainfs::unpacked {

// Returns the largest size that a compressed file of file_size bytes may have when decompressed: 1 GiB plus
// what gzip's best ratio makes of it.
uint64_t max_decompressed_bytes(uint64_t file_size);

// Returns the decompressed content of file, with the path and version of file. Reads all of it once, and
// verifies its checksum, unless the results of an earlier session are known. purpose: what the pass locates,
// for the log ("the entries of the matrix"). Throws damaged if the data do not decompress, unsupported if
// they are longer than max_bytes.
FilePtr unpacked_file(const FilePtr& file, Compression compression, uint64_t max_bytes,
                      const std::string& purpose, Context& context);

// The content of a compressed file and what reading it costs.
struct Unpacked {
  FilePtr file;
  size_t places = 0;           // at which decompression can resume, besides the beginning
  bool is_in_scratch = false;  // all of it was decompressed into a scratch file
};

// Returns the content like unpacked_file(), with another path and at most max_decompressed_bytes(). Data that
// are one large block, of which every part would cost the whole, are decompressed into a scratch file if
// there is room. Otherwise reading them is unsupported if they are larger than the cache.
Unpacked unpack(const FilePtr& file, Compression compression, const std::string& path,
                const std::string& purpose, Context& context);

}  // namespace plainfs::unpacked
