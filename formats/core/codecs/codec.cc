#include "formats/core/codecs/codec.h"

namespace plainfs {

void check_decoded_size(std::string_view codec, uint64_t bytes, DecodedSize allowed) {
  if (bytes == allowed.bytes || (!allowed.exact && bytes < allowed.bytes)) return;
  throw damaged("{}: decodes to {} bytes, expected {}{}", codec, bytes, allowed.exact ? "" : "at most ",
                allowed.bytes);
}

GrowingOutput::GrowingOutput(std::string_view codec, uint64_t encoded_bytes, DecodedSize allowed)
    : codec_(codec), allowed_(allowed) {
  const uint64_t guess = encoded_bytes < UINT64_MAX / 8 ? encoded_bytes * 4 + 4096 : encoded_bytes;
  bytes_.resize(std::min(allowed.bytes, guess) + 1);
}

void GrowingOutput::advance(size_t written) {
  used_ += written;
  if (used_ > allowed_.bytes) check_decoded_size(codec_, used_, allowed_);
}

void GrowingOutput::make_room() {
  if (free_size() > 0) return;
  bytes_.resize(std::min<uint64_t>(allowed_.bytes, uint64_t{bytes_.size()} * 2) + 1);
}

Bytes GrowingOutput::finish() {
  check_decoded_size(codec_, used_, allowed_);
  bytes_.resize(used_);
  return std::move(bytes_);
}

}  // namespace plainfs
