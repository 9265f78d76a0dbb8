#include <blosc.h>

#include "formats/codecs/makers.h"
#include "formats/codecs/output.h"
#include "formats/model/cursor.h"

namespace plainfs {
namespace {

// Header: version, versionlz, flags, typesize, then nbytes, blocksize and cbytes as u32 little-endian
// (c-blosc README_CHUNK_FORMAT.rst).
constexpr size_t kHeaderBytes = BLOSC_MIN_HEADER_LENGTH;
constexpr int kLastVersion = BLOSC_VERSION_FORMAT;

class Blosc : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    const size_t decoded = check_header(encoded);
    check_decoded_size("blosc", decoded, size);
    Bytes out(decoded);
    if (decoded == 0) return out;
    // The _ctx function neither takes the library's global lock nor starts threads.
    const int written = blosc_decompress_ctx(encoded.data(), out.data(), out.size(), 1);
    if (written < 0 || static_cast<size_t>(written) != decoded)
      throw damaged("blosc: decoding failed with {}", written);
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }

 private:
  // The decoded size. blosc_decompress_ctx does not know how long its source is, so the header's own size has
  // to be the size at hand.
  static size_t check_header(ByteSpan encoded) {
    if (encoded.size() < kHeaderBytes) throw damaged("blosc: {} bytes are no frame", encoded.size());
    const int version = static_cast<int>(encoded[0]);
    if (version < 1 || version > kLastVersion) throw damaged("blosc: frame version {}", version);
    // Old z5 left BLOSC_MAX_OVERHEAD bytes of its buffer behind the frame.
    const size_t frame = load_little<uint32_t>(&encoded[12]);
    const bool has_rest = encoded.size() == frame + BLOSC_MAX_OVERHEAD;
    size_t decoded = 0;
    if (blosc_cbuffer_validate(encoded.data(), has_rest ? frame : encoded.size(), &decoded) < 0)
      throw damaged("blosc: the frame says {} bytes, {} are there", frame, encoded.size());
    const uint32_t block = load_little<uint32_t>(&encoded[8]);
    if (decoded > 0 && (block == 0 || static_cast<int>(encoded[3]) == 0))
      throw damaged("blosc: blocks of {} bytes", block);
    return decoded;
  }
};

}  // namespace

CodecPtr blosc_codec() {
  return std::make_unique<Blosc>();
}

}  // namespace plainfs
