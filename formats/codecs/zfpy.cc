#include <zfp.h>

#include <cstring>

#include "formats/codecs/makers.h"
#include "formats/codecs/output.h"
#include "formats/model/checked.h"

namespace plainfs {
namespace {

struct CloseStream {
  void operator()(bitstream* it) const { stream_close(it); }
  void operator()(zfp_stream* it) const { zfp_stream_close(it); }
  void operator()(zfp_field* it) const { zfp_field_free(it); }
};
template <class T>
using Owned = std::unique_ptr<T, CloseStream>;

// A zfp stream with its full header over bytes it may overrun: libzfp does not know where they end, so they
// have to be followed by as many as it can want.
class ZfpStream {
 public:
  explicit ZfpStream(Bytes& bytes)
      : bits_(stream_open(bytes.data(), bytes.size())),
        stream_(zfp_stream_open(bits_.get())),
        field_(zfp_field_alloc()) {
    if (!bits_ || !stream_ || !field_) throw std::bad_alloc();
    if (zfp_read_header(stream_.get(), field_.get(), ZFP_HEADER_FULL) == 0)
      throw damaged("zfpy: no zfp header");
  }

  uint64_t element_bytes() const { return zfp_type_size(field_->type); }
  uint64_t count() const {
    uint64_t count = 1;
    for (const size_t length : {field_->nx, field_->ny, field_->nz, field_->nw})
      if (length > 0) count = checked_multiply(count, length);
    return count;
  }
  // The most bytes that decoding may read, and the fewest.
  uint64_t most_bytes() const { return zfp_stream_maximum_size(stream_.get(), field_.get()); }
  uint64_t fewest_bits() const { return checked_multiply(zfp_field_blocks(field_.get()), stream_->minbits); }

  // Returns the bytes read, 0 for failure.
  uint64_t decode(Bytes& out) {
    zfp_field_set_pointer(field_.get(), out.data());
    return zfp_decompress(stream_.get(), field_.get());
  }

 private:
  Owned<bitstream> bits_;
  Owned<zfp_stream> stream_;
  Owned<zfp_field> field_;
};

// numcodecs' zfpy: zfp's own stream with its full header, which tells type, lengths and mode
// (zfp.readthedocs.io).
class Zfpy : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    constexpr uint64_t kWord = 8;
    constexpr uint64_t kHeader = ZFP_HEADER_MAX_BITS / 8 + kWord;
    const uint64_t stored = encoded.size();
    append_zeros(encoded, kHeader);
    uint64_t most = 0;
    {
      const ZfpStream header(encoded);
      const uint64_t bytes = checked_multiply(header.count(), header.element_bytes());
      check_decoded_size("zfpy", bytes, size);
      if (header.fewest_bits() / 8 > stored) throw damaged("zfpy: cut off");
      most = header.most_bytes();
      size = DecodedSize::exactly(bytes);
    }
    if (most > encoded.size()) append_zeros(encoded, most - encoded.size() + 2 * kWord);
    Bytes out(size.bytes);
    const uint64_t used = ZfpStream(encoded).decode(out);
    // The stream ends in a whole word, of which trailing bytes may have been cut.
    if (used == 0 || used > stored + kWord - 1) throw damaged("zfpy: invalid or cut off");
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
  CodecRole role() const override { return CodecRole::array_to_bytes; }

 private:
  static void append_zeros(Bytes& bytes, uint64_t count) {
    const size_t size = bytes.size();
    bytes.resize(size + count);
    std::memset(bytes.data() + size, 0, count);
  }
};

}  // namespace

CodecPtr zfpy_codec() {
  return std::make_unique<Zfpy>();
}

}  // namespace plainfs
