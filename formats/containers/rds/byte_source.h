// The bytes of a file from front to back, decompressed where the file begins as gzip, bzip2 or xz data does;
// what R's readRDS() takes. Several compressed streams one after the other are one; what follows the last and
// is none is ignored, as R ignores it. A pass notes where decompression may begin again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/file.h"

namespace plainfs::rds {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // The next bytes, fewer than out.size() only at the end. Throws Error(damaged) where they do not decompress
  // or a checksum is wrong. Not thread-safe.
  virtual size_t read(std::span<std::byte> out) = 0;
  // Reads over them; fewer only at the end. Returns how many.
  virtual uint64_t skip(uint64_t size);
  // That decompression may begin again at offset, which was just passed: of a source that notes places,
  // one shortly before it is noted too.
  virtual void keep_place(uint64_t /*offset*/) {}
};

enum class Compression { none, gzip, bzip2, xz };

inline constexpr size_t kMostWindow = 32 << 10;

// By the first bytes (six are enough).
Compression compression_of(ByteSpan first_bytes);
// "none", "gzip", …
std::string name_of(Compression compression);

// The first bytes, at most most, of what a gzip file holds, as far as first_bytes of the file tell; none if
// they do not.
Bytes beginning_of_gzip(ByteSpan first_bytes, size_t most);

// A place in compressed data from which on they can be read without what is before.
struct SeekPoint {
  uint64_t output = 0;                            // bytes decompressed before it
  uint64_t input = 0;                             // bits before it
  std::shared_ptr<const Bytes> window = nullptr;  // gzip: what was decompressed last, up to kMostWindow
};

// From the file's beginning. points, where it is not null, gains the places that are passed: of gzip one
// every 8 MiB, and where these are most_gzip_points every second of them goes and the next are twice as far
// apart; of bzip2 every block, of xz, where it has several, too; and those of keep_place(). Requires: points
// outlives the source.
inline constexpr size_t kMostGzipPoints = 512;  // of 32 KiB each
std::unique_ptr<ByteSource> open_source(FilePtr file, Compression compression,
                                        std::vector<SeekPoint>* points = nullptr,
                                        size_t most_gzip_points = kMostGzipPoints);
// From such a place on. The checksum of the stream it is in is not looked at.
std::unique_ptr<ByteSource> resume_source(FilePtr file, Compression compression, const SeekPoint& point);

}  // namespace plainfs::rds
