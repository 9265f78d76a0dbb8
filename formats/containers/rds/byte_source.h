// The bytes of a file from front to back, decompressed where the file begins as gzip, bzip2 or xz data does;
// what R's readRDS() takes. Several compressed streams one after the other are one.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "formats/core/base/bytes.h"
#include "formats/core/base/file.h"

namespace plainfs::rds {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // The next bytes, fewer than out.size() only at the end. Throws Error(damaged) where they do not decompress
  // or a checksum is wrong. Not thread-safe.
  virtual size_t read(std::span<std::byte> out) = 0;
};

enum class Compression { none, gzip, bzip2, xz };

// By the first bytes (six are enough).
Compression compression_of(ByteSpan first_bytes);
// "none", "gzip", …
std::string name_of(Compression compression);

std::unique_ptr<ByteSource> open_source(FilePtr file, Compression compression);

}  // namespace plainfs::rds
