#include <zfp.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "formats/core/base/checked.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

struct Close {
  void operator()(bitstream* it) const { stream_close(it); }
  void operator()(zfp_stream* it) const { zfp_stream_close(it); }
  void operator()(zfp_field* it) const { zfp_field_free(it); }
  void operator()(std::byte* it) const { std::free(it); }
};
template <class T>
using Owned = std::unique_ptr<T, Close>;

constexpr uint64_t kWordBytes = 8;  // the unit in which libzfp reads
constexpr uint64_t kZfpHeaderBytes = ZFP_HEADER_MAX_BITS / 8 + 2 * kWordBytes;

// A stream with its full header and `size` bytes in all. libzfp does not know where its input ends, so it is
// followed by as many zeros as any decoding may read. They cost no memory until they are read.
class ZfpStream {
 public:
  ZfpStream(ByteSpan encoded, uint64_t size) : bytes_(static_cast<std::byte*>(std::calloc(size, 1))) {
    if (!bytes_) throw std::bad_alloc();
    std::memcpy(bytes_.get(), encoded.data(), encoded.size());
    bits_.reset(stream_open(bytes_.get(), size));
    stream_.reset(zfp_stream_open(bits_.get()));
    field_.reset(zfp_field_alloc());
    if (!bits_ || !stream_ || !field_) throw std::bad_alloc();
    if (zfp_read_header(stream_.get(), field_.get(), ZFP_HEADER_FULL) == 0)
      throw damaged("zfpy: invalid zfp header");
    check_limits();
  }

  uint64_t decoded_bytes() const {
    uint64_t bytes = zfp_type_size(field_->type);
    for (const size_t length : lengths())
      if (length > 0) bytes = checked_multiply(bytes, length);
    return bytes;
  }
  uint64_t fewest_bits() const { return checked_multiply(zfp_field_blocks(field_.get()), stream_->minbits); }
  // Returns the most bytes that decoding reads: each of 64 bit planes of a block takes at most one bit per
  // value, and each value two more to be found.
  uint64_t max_bytes() const {
    constexpr uint64_t kOverhead = 192;
    const uint64_t values = uint64_t{1} << (2 * zfp_field_dimensionality(field_.get()));
    const uint64_t block_bits = std::max<uint64_t>(values * 66 + kOverhead, stream_->minbits);
    return checked_multiply(zfp_field_blocks(field_.get()), block_bits) / 8 + kZfpHeaderBytes;
  }

  // Returns the bytes read, 0 for failure. Requires: out.size() == decoded_bytes().
  uint64_t decode(Bytes& out) {
    zfp_field_set_pointer(field_.get(), out.data());
    return zfp_decompress(stream_.get(), field_.get());
  }

 private:
  std::array<size_t, 4> lengths() const { return {field_->nx, field_->ny, field_->nz, field_->nw}; }

  // libzfp subtracts the start of each block (sign, exponent, precision) from its maximum number of bits
  // without a check.
  void check_limits() const {
    const bool real = field_->type == zfp_type_float || field_->type == zfp_type_double;
    const bool reversible = stream_->minexp < ZFP_MIN_EXP;
    const unsigned start = (real ? 12 : 0) + (reversible ? 7 : 0);
    const unsigned least = field_->type == zfp_type_float && !reversible ? 9 : start;
    if (stream_->maxbits < std::max(least, stream_->minbits))
      throw damaged("zfpy: invalid blocks of {} to {} bits", stream_->minbits, stream_->maxbits);
  }

  Owned<std::byte> bytes_;
  Owned<bitstream> bits_;
  Owned<zfp_stream> stream_;
  Owned<zfp_field> field_;
};

// numcodecs' zfpy: zfp's own stream with its full header, which has the type, lengths and mode
// (zfp.readthedocs.io).
class Zfpy : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (encoded.empty()) throw damaged("zfpy: no bytes");
    const ZfpStream header(encoded, encoded.size() + kZfpHeaderBytes);
    const uint64_t bytes = header.decoded_bytes();
    check_decoded_size("zfpy", bytes, size);
    if (header.fewest_bits() / 8 > encoded.size()) throw damaged("zfpy: truncated");
    Bytes out(bytes);
    const uint64_t used = ZfpStream(encoded, checked_add(encoded.size(), header.max_bytes())).decode(out);
    // The stream ends with a whole word, of which the last bytes may have been omitted.
    if (used == 0 || used > encoded.size() + kWordBytes - 1) throw damaged("zfpy: invalid or truncated");
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
  CodecRole role() const override { return CodecRole::array_to_bytes; }
};

}  // namespace

CodecPtr zfpy_codec() {
  return std::make_unique<Zfpy>();
}

}  // namespace plainfs
