#include <bzlib.h>

#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

class BzipStream {
 public:
  BzipStream() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~BzipStream() { BZ2_bzDecompressEnd(&stream_); }
  BzipStream(const BzipStream&) = delete;
  BzipStream& operator=(const BzipStream&) = delete;

  // Decodes one stream from the front of `encoded`. Returns the rest.
  ByteSpan decode(ByteSpan encoded, GrowingOutput& out) {
    constexpr size_t kMax = 1u << 30;
    for (;;) {
      out.make_room();
      const size_t offered_in = std::min(encoded.size(), kMax);
      const size_t offered_out = std::min(out.free_size(), kMax);
      stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(encoded.data()));
      stream_.avail_in = static_cast<unsigned>(offered_in);
      stream_.next_out = reinterpret_cast<char*>(out.free_data());
      stream_.avail_out = static_cast<unsigned>(offered_out);
      const int result = BZ2_bzDecompress(&stream_);
      const size_t used_in = offered_in - stream_.avail_in;
      const size_t used_out = offered_out - stream_.avail_out;
      encoded = encoded.subspan(used_in);
      out.advance(used_out);
      if (result == BZ_STREAM_END) return encoded;
      if (result == BZ_MEM_ERROR) throw std::bad_alloc();
      if (result != BZ_OK) throw damaged("bz2: invalid data ({})", result);
      if (used_in == 0 && used_out == 0) throw damaged("bz2: truncated");
    }
  }

 private:
  bz_stream stream_{};
};

class Bz2 : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    GrowingOutput out("bz2", encoded.size(), size);
    ByteSpan rest = encoded;
    // Several streams one after another, up to data that are not a stream, like Python's bz2.
    do rest = BzipStream().decode(rest, out);
    while (as_text(rest).starts_with("BZh"));
    return out.finish();
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

CodecPtr bz2_codec() {
  return std::make_unique<Bz2>();
}

}  // namespace plainfs
