// Sequential access to the decompressed bytes of a file. Its first bytes decide whether it is gzip, bzip2 or
// xz or zstd data, the forms that R's readRDS() accepts. Consecutive compressed streams count as one. Bytes
// after the last stream are ignored, as R ignores them. A pass records the places at which decompression can
// resume.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/file.h"

namespace plainfs::unpacked {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads the next bytes, fewer than out.size() only at the end. Returns their number. Throws Error(damaged)
  // if the data do not decompress or a checksum is wrong. Not thread-safe.
  virtual size_t read(std::span<std::byte> out) = 0;
  // Skips size bytes, fewer only at the end. Returns the number of bytes skipped.
  virtual uint64_t skip(uint64_t size);
  // Announces that reads may resume at offset, which was just passed. A source that records places then keeps
  // one shortly before offset.
  virtual void keep_place(uint64_t /*offset*/) {}
};

// qs2, qs: the files of R's packages of these names, without the meaning of their content.
enum class Compression { none, gzip, bzip2, xz, zstd, qs2, qs };

inline constexpr size_t kMaxWindow = 32 << 10;

// Returns the compression of a file with these first bytes; six are enough.
Compression compression_of(ByteSpan first_bytes);
// Return whether a file with these first bytes is one of R's package qs, of its successor qs2, or of the form
// of the latter that has data alone. Four bytes are enough.
bool is_qs(ByteSpan first_bytes);
bool is_qs2(ByteSpan first_bytes);
bool is_qdata(ByteSpan first_bytes);
// Returns "none", "gzip", …
std::string name_of(Compression compression);

// Decompresses the beginning of a gzip file. Returns at most `most` bytes, and only those that first_bytes of
// the file contain.
Bytes beginning_of_gzip(ByteSpan first_bytes, size_t most);

// A place in compressed data at which decompression can start without the data before it.
struct SeekPoint {
  uint64_t output = 0;                            // number of decompressed bytes before it
  uint64_t input = 0;                             // number of bits before it
  std::shared_ptr<const Bytes> window = nullptr;  // gzip: the last decompressed bytes, up to kMaxWindow
};

// Opens a source at the file's beginning. If points is not null, the source adds the places that it passes.
// For gzip these are one per 8 MiB and those of keep_place(). When there are max_gzip_points, every second
// one is dropped and the distance doubles. For bzip2 they are all blocks. For xz they are all blocks but the
// first, known at once. For zstd, qs2 and qs they are the beginnings of frames or blocks, one per 8 MiB.
// Requires: points outlives the source.
inline constexpr size_t kMaxGzipPoints = 512;  // of 32 KiB each
std::unique_ptr<ByteSource> open_source(FilePtr file, Compression compression,
                                        std::vector<SeekPoint>* points = nullptr,
                                        size_t max_gzip_points = kMaxGzipPoints);
// Opens a source at point. It does not check the checksum of the stream that contains point.
std::unique_ptr<ByteSource> resume_source(FilePtr file, Compression compression, const SeekPoint& point);

}  // namespace plainfs::unpacked
