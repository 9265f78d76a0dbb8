// Replies compressed with gzip for clients that accept it (RFC 9110, 8.4 and 12.5.3).
#pragma once

#include <string>
#include <string_view>

#include "formats/core/base/bytes.h"

namespace plainfs::serve {

// Shorter bodies gain nothing.
inline constexpr size_t kLeastGzipped = 1024;

// Returns whether an Accept-Encoding field accepts gzip.
bool accepts_gzip(std::string_view accept_encoding);

// Returns whether the type is text: HTML, CSV, TSV, JSON, SVG, plain text.
bool is_gzipped_type(std::string_view media_type);

// A gzip stream, generated in pieces.
class GzipStream {
 public:
  // Returns the header of the stream.
  static std::string_view begin();
  // Compresses the bytes and returns the next piece.
  Bytes next(ByteSpan bytes);
  // Returns the end of the stream.
  std::string end() const;

 private:
  uint32_t crc_ = 0;
  uint64_t size_ = 0;
};

// Returns the text as one gzip stream.
std::string gzipped(std::string_view text);

}  // namespace plainfs::serve
