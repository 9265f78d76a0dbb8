#include <cstring>

#include "formats/core/base/cursor.h"
#include "formats/core/base/leb128.h"
#include "formats/core/codecs/blocks.h"
#include "formats/core/codecs/codec.h"

namespace plainfs {
namespace {

// Copies `length` bytes that begin `offset` bytes before `out`; they may overlap what is written. room: the
// bytes that may be written at `out`.
void copy_back(std::byte* out, size_t offset, size_t length, size_t room) {
  constexpr size_t kStep = 8;
  const std::byte* from = out - offset;
  if (offset >= kStep && room >= length + kStep) {  // the last step may write beyond the length
    for (const std::byte* const end = out + length; out < end; out += kStep, from += kStep)
      std::memcpy(out, from, kStep);
    return;
  }
  for (size_t i = 0; i < length; ++i) out[i] = from[i];
}

// Returns the size of the decoded bytes, which the block begins with.
uint64_t stated_size(Cursor& in) {
  constexpr unsigned kBits = 32;
  return read_leb128(in, kBits);
}

// Returns a little-endian number of 1 to 4 bytes.
size_t number(Cursor& in, size_t bytes) {
  size_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= size_t{in.byte()} << (8 * i);
  return value;
}

// Returns the length of a literal from its tag and the bytes after it.
size_t literal_length(uint8_t tag, Cursor& in) {
  constexpr size_t kLongest = 59;  // in the tag itself
  const size_t length = tag >> 2;
  return (length > kLongest ? number(in, length - kLongest) : length) + 1;
}

}  // namespace

uint64_t snappy_size(ByteSpan encoded) {
  Cursor in(encoded);
  return stated_size(in);
}

void decode_snappy_block(ByteSpan encoded, std::span<std::byte> out) {
  Cursor in(encoded);
  check_decoded_size("snappy", stated_size(in), DecodedSize::exactly(out.size()));
  size_t done = 0;
  while (!in.at_end()) {
    const uint8_t tag = in.byte();
    const bool is_literal = (tag & 3) == 0;
    size_t length = 0, offset = 0;
    if (is_literal) {
      length = literal_length(tag, in);
    } else if ((tag & 3) == 1) {
      length = 4 + (tag >> 2 & 7);
      offset = size_t{static_cast<uint8_t>(tag >> 5)} << 8 | in.byte();
    } else {
      length = size_t{1} + (tag >> 2);
      offset = number(in, (tag & 3) == 2 ? 2 : 4);
    }
    if (length > out.size() - done) throw damaged("snappy: more data than the {} bytes stated", out.size());
    if (is_literal) {
      const ByteSpan literal = in.bytes(length);
      std::memcpy(out.data() + done, literal.data(), length);
    } else {
      if (offset == 0 || offset > done)
        throw damaged("snappy: a copy from {} bytes before byte {}", offset, done);
      copy_back(out.data() + done, offset, length, out.size() - done);
    }
    done += length;
  }
  if (done != out.size()) throw damaged("snappy: the data end after {} of {} bytes", done, out.size());
}

}  // namespace plainfs
