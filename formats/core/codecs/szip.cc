// HDF5's szip filter: a u32 size, then the adaptive Golomb-Rice code of CCSDS 121.0-B in the form of the szip
// library. Samples come in blocks, and blocks in scanlines that are padded to whole blocks. Each block states
// how it is coded. Numbers of 32 and 64 bits are coded as bytes: all first bytes, then all second ones, and
// so on. Sources: CCSDS 121.0-B-3; libhdf5's H5Zszip.c, which accepts a stream that ends too early as a whole
// one. libaec does too, leaves the missing part unchanged, and accepts some damage that is refused here.
#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/codecs/bit_reader.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

// The coding of the samples.
struct Coding {
  unsigned bits;       // of a sample, 1 to 24
  unsigned block;      // samples in a block, even
  unsigned blocks;     // in a scanline
  bool has_reference;  // a scanline begins with a sample and continues with differences
  uint32_t largest() const { return (uint32_t{1} << bits) - 1; }
};

// A decoder of one scanline after another.
class ScanlineDecoder {
 public:
  ScanlineDecoder(Coding coding, ByteSpan encoded)
      : coding_(coding), reader_("szip", encoded), samples_(size_t{coding.block} * coding.blocks) {}

  // Returns the first `count` samples of the next scanline; those behind them are undefined. Requires: 1 <=
  // count <= the samples of a scanline.
  std::span<const uint32_t> next(size_t count) {
    used_ = 0;
    while (used_ < count) decode_block();
    if (coding_.has_reference) undo_differences(count);
    return std::span(samples_).first(count);
  }

 private:
  void put(uint64_t sample) {
    if (sample > coding_.largest()) throw damaged("szip: a sample of more than {} bits", coding_.bits);
    samples_[used_++] = static_cast<uint32_t>(sample);
  }

  void decode_block() {
    const unsigned id_bits = coding_.bits > 16 ? 5 : coding_.bits > 8 ? 4 : 3;
    const auto id = static_cast<unsigned>(reader_.read(id_bits));
    const bool is_first = used_ == 0 && coding_.has_reference;
    const size_t end = used_ + coding_.block;
    if (id == (1u << id_bits) - 1) {  // samples stored unchanged
      while (used_ < end) put(reader_.read(coding_.bits));
      return;
    }
    const bool is_pairs = id == 0 && reader_.read(1) == 1;
    if (is_first) put(reader_.read(coding_.bits));
    if (is_pairs)
      decode_pairs(end);
    else if (id == 0)
      decode_zeros(end - coding_.block);
    else
      decode_split(id - 1, end);
  }

  // Decodes the upper parts of all samples in unary, then the lower bits of all.
  void decode_split(unsigned low_bits, size_t end) {
    if (low_bits > coding_.bits) throw damaged("szip: {} low bits in samples of {}", low_bits, coding_.bits);
    const size_t first = used_;
    while (used_ < end) {
      const uint64_t high = reader_.zeros();
      if (high > coding_.largest() >> low_bits)
        throw damaged("szip: a sample of more than {} bits", coding_.bits);
      put(high << low_bits);
    }
    if (low_bits == 0) return;
    for (size_t i = first; i < end; ++i) samples_[i] |= static_cast<uint32_t>(reader_.read(low_bits));
  }

  // Decodes pairs of small samples a and b, coded as one number in unary: (a + b)(a + b + 1) / 2 + b. A
  // reference replaces the first sample of its pair.
  void decode_pairs(size_t end) {
    constexpr uint64_t kLargestSum = 12;
    while (used_ < end) {
      const uint64_t code = reader_.zeros();
      uint64_t sum = 0;
      while (sum <= kLargestSum && (sum + 1) * (sum + 2) / 2 <= code) ++sum;
      if (sum > kLargestSum) throw damaged("szip: invalid pair {}", code);
      const uint64_t second = code - sum * (sum + 1) / 2;
      if (used_ % 2 == 0) put(sum - second);
      put(second);
    }
  }

  // Decodes blocks of zeros from the one at sample `start` on: their number, or the rest of 64 blocks.
  void decode_zeros(size_t start) {
    constexpr uint64_t kRest = 4, kSegment = 64;
    const uint64_t code = reader_.zeros();
    const size_t before = start / coding_.block;
    uint64_t count = code < kRest ? code + 1 : code;
    if (code == kRest) count = std::min<uint64_t>(coding_.blocks - before, kSegment - before % kSegment);
    if (count > coding_.blocks - before) throw damaged("szip: {} blocks of zeros are too many", count);
    const size_t end = start + count * coding_.block;
    while (used_ < end) samples_[used_++] = 0;
  }

  // Replaces differences by samples. Differences alternate below and above the sample before, as long as both
  // are valid samples.
  void undo_differences(size_t count) {
    const uint32_t largest = coding_.largest(), half = largest / 2 + 1;
    uint32_t sample = samples_[0];
    for (size_t i = 1; i < count; ++i) {
      const uint32_t coded = samples_[i];
      const uint32_t room = sample & half ? largest - sample : sample;
      if (coded / 2 + coded % 2 <= room)
        sample += coded % 2 ? ~(coded / 2) : coded / 2;
      else
        sample = sample & half ? largest - coded : coded;
      samples_[i] = sample;
    }
  }

  Coding coding_;
  BitReader reader_;
  std::vector<uint32_t> samples_;
  size_t used_ = 0;
};

// Positions in the client data, and bits of the options.
enum SzipParameter : size_t { kOptions, kBlock, kBits, kScanline, kSzipParameters };
constexpr unsigned kBigEndian = 16, kNearestNeighbour = 32;
constexpr unsigned kMaxBlocks = 4096;

class Szip : public Codec {
 public:
  explicit Szip(std::span<const unsigned> client_data) : values_(client_data.begin(), client_data.end()) {}

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (encoded.size() < 4) throw damaged("szip: {} bytes are too short for a header", encoded.size());
    const uint64_t decoded_size = load_little<uint32_t>(encoded.data());
    check_decoded_size("szip", decoded_size, size);
    const Coding coding = checked_coding();
    const unsigned sample_bytes = coding.bits > 16 ? 4 : coding.bits > 8 ? 2 : 1;
    const unsigned plane_count = values_[kBits] >= 32 ? values_[kBits] / 8 : 1;
    if (decoded_size % (sample_bytes * plane_count) != 0)
      throw damaged("szip: {} bytes are not a multiple of numbers of {} bytes", decoded_size,
                    sample_bytes * plane_count);
    Bytes out(decoded_size);
    ScanlineDecoder decoder(coding, ByteSpan(encoded).subspan(4));
    const bool is_big = values_[kOptions] & kBigEndian;
    const uint64_t count = decoded_size / sample_bytes, scanline = values_[kScanline];
    std::byte* at = out.data();
    for (uint64_t done = 0; done < count; done += scanline)
      for (const uint32_t sample : decoder.next(std::min(scanline, count - done)))
        for (unsigned i = 0; i < sample_bytes; ++i)
          *at++ = static_cast<std::byte>(sample >> 8 * (is_big ? sample_bytes - 1 - i : i));
    if (plane_count == 1) return out;
    return shuffle_codec(plane_count)->decode(std::move(out), DecodedSize::exactly(decoded_size));
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }

 private:
  Coding checked_coding() const {
    if (values_.size() != kSzipParameters)
      throw damaged("szip: invalid number of parameters: {}", values_.size());
    const unsigned block = values_[kBlock], bits = values_[kBits], scanline = values_[kScanline];
    if (block < 2 || block > 64 || block % 2 != 0) throw damaged("szip: invalid blocks of {} samples", block);
    if (bits == 0 || (bits > 24 && bits != 32 && bits != 64))
      throw damaged("szip: invalid samples of {} bits", bits);
    if (scanline == 0 || scanline > kMaxBlocks * block)
      throw damaged("szip: invalid scanlines of {} samples", scanline);
    return {bits > 24 ? 8 : bits, block, (scanline + block - 1) / block,
            (values_[kOptions] & kNearestNeighbour) != 0};
  }

  std::vector<unsigned> values_;
};

}  // namespace

// The client data may be meaningless if every chunk omits the filter, as with n-bit.
CodecPtr szip_codec(std::span<const unsigned> client_data) {
  return std::make_unique<Szip>(client_data);
}

}  // namespace plainfs
