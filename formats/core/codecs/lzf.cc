#include <cstring>

#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

// A decoder of LibLZF's format. A control byte below 32 is followed by that many + 1 literal bytes. Otherwise
// its upper three bits are the length of a match minus two (if they are 7, another byte is added), and its
// lower five bits and the last byte are the distance back minus one.
class LzfReader {
 public:
  LzfReader(ByteSpan in, GrowingOutput& out) : in_(in), out_(out) {}

  void decode() {
    while (position_ < in_.size()) {
      const unsigned control = next();
      if (control < 32)
        copy_literals(control + 1);
      else
        copy_match(control);
    }
  }

 private:
  unsigned next() {
    if (position_ >= in_.size()) throw damaged("lzf: truncated at byte {}", position_);
    return static_cast<unsigned>(in_[position_++]);
  }

  void copy_literals(size_t count) {
    if (count > in_.size() - position_) throw damaged("lzf: truncated at byte {}", position_);
    each_run(count, [this](std::byte* out, size_t run) {
      std::memcpy(out, &in_[position_], run);
      position_ += run;
    });
  }

  void copy_match(unsigned control) {
    size_t length = control >> 5;
    if (length == 7) length += next();
    length += 2;
    const size_t distance = ((control & 31u) << 8 | next()) + 1;
    if (distance > written_) throw damaged("lzf: invalid match {} bytes before byte {}", distance, written_);
    each_run(length, [distance](std::byte* out, size_t run) {
      // Byte by byte: a match may overlap itself.
      for (size_t i = 0; i < run; ++i) out[i] = *(out + i - distance);
    });
  }

  // Calls write(place, count) until count bytes are written.
  template <class Write>
  void each_run(size_t count, Write&& write) {
    written_ += count;
    while (count > 0) {
      out_.make_room();
      const size_t run = std::min(count, out_.free_size());
      write(out_.free_data(), run);
      out_.advance(run);
      count -= run;
    }
  }

  ByteSpan in_;
  GrowingOutput& out_;
  size_t position_ = 0;
  size_t written_ = 0;
};

class Lzf : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    GrowingOutput out("lzf", encoded.size(), size);
    LzfReader(encoded, out).decode();
    return out.finish();
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

CodecPtr lzf_codec() {
  return std::make_unique<Lzf>();
}

}  // namespace plainfs
