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

}  // namespace plainfs::unpacked
