#include "fs/serve/http/gzip.h"

#include <algorithm>

#include "formats/core/codecs/compress.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/trimmed.h"
#include "fs/serve/http/field_text.h"

namespace plainfs::serve {
namespace {

constexpr int kReplyLevel = 1;  // higher levels are usually slower than the network

// Returns whether the parameters contain ";q=0" or ";q=0.0".
bool is_refused(std::string_view parameters) {
  const size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return false;
  const std::string_view weight = trimmed(parameters.substr(at + 2));
  return !weight.empty() && weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  for (const std::string_view item : list_items(accept_encoding)) {
    const size_t end = std::min(item.find(';'), item.size());
    if (is_same_in_any_case(trimmed(item.substr(0, end)), "gzip")) return !is_refused(item.substr(end));
  }
  return false;
}

bool is_gzipped_type(std::string_view media_type) {
  return media_type.starts_with("text/") || media_type == "application/json" || media_type == "image/svg+xml";
}

std::string_view GzipStream::begin() {
  return kGzipHeader;
}

Bytes GzipStream::next(ByteSpan bytes) {
  crc_ = size_ == 0 ? gzip_crc(bytes) : joined_gzip_crc(crc_, gzip_crc(bytes), bytes.size());
  size_ += bytes.size();
  return deflated_part(bytes, kReplyLevel);
}

std::string GzipStream::end() const {
  return std::string(kDeflateEnd) + gzip_trailer(crc_, size_);
}

std::string gzipped(std::string_view text) {
  GzipStream stream;
  std::string whole(GzipStream::begin());
  whole += as_text(stream.next(as_byte_span(text)));
  whole += stream.end();
  return whole;
}

}  // namespace plainfs::serve
