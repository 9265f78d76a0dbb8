#include <lzma.h>

#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

// The memory that liblzma may allocate for its dictionary: preset 9 needs 65 MiB. It is not touched beyond
// the output's size.
constexpr uint64_t kMaxMemory = uint64_t{192} << 20;

std::string_view reason(lzma_ret result) {
  switch (result) {
    case LZMA_FORMAT_ERROR:
      return "not in this format";
    case LZMA_OPTIONS_ERROR:
      return "unknown filters";
    case LZMA_BUF_ERROR:
      return "truncated";
    default:
      return "invalid data";
  }
}

// One decoding run. Python's lzma module, which numcodecs uses, decodes stream after stream and ignores data
// after the last.
class LzmaStream {
 public:
  explicit LzmaStream(const LzmaConfiguration& configuration) { check(start(configuration)); }
  ~LzmaStream() { lzma_end(&stream_); }
  LzmaStream(const LzmaStream&) = delete;
  LzmaStream& operator=(const LzmaStream&) = delete;

  // Decodes one stream. Returns the rest of `encoded`.
  ByteSpan decode(ByteSpan encoded, GrowingOutput& out) {
    stream_.next_in = reinterpret_cast<const uint8_t*>(encoded.data());
    stream_.avail_in = encoded.size();
    for (;;) {
      out.make_room();
      stream_.next_out = reinterpret_cast<uint8_t*>(out.free_data());
      const size_t offered = stream_.avail_out = out.free_size();
      const lzma_ret result = lzma_code(&stream_, LZMA_FINISH);
      out.advance(offered - stream_.avail_out);
      if (result == LZMA_STREAM_END) return encoded.last(stream_.avail_in);
      check(result);
    }
  }

 private:
  lzma_ret start(const LzmaConfiguration& configuration) {
    switch (configuration.format) {
      case LzmaFormat::xz:
        return lzma_stream_decoder(&stream_, kMaxMemory, 0);
      case LzmaFormat::alone:
        return lzma_alone_decoder(&stream_, kMaxMemory);
      case LzmaFormat::raw:
        break;
    }
    return start_raw(configuration.filters);
  }

  lzma_ret start_raw(const std::vector<LzmaFilter>& wanted) {
    std::vector<::lzma_filter> filters;
    std::vector<lzma_options_lzma> lzma(wanted.size());
    std::vector<lzma_options_delta> delta(wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      const LzmaFilter& filter = wanted[i];
      if (filter.id == LZMA_FILTER_LZMA1 || filter.id == LZMA_FILTER_LZMA2) {
        if (lzma_lzma_preset(&lzma[i], filter.preset))
          throw damaged("lzma: invalid preset {}", filter.preset);
        if (filter.dictionary_bytes) lzma[i].dict_size = *filter.dictionary_bytes;
        if (filter.lc) lzma[i].lc = *filter.lc;
        if (filter.lp) lzma[i].lp = *filter.lp;
        if (filter.pb) lzma[i].pb = *filter.pb;
        filters.push_back({filter.id, &lzma[i]});
      } else if (filter.id == LZMA_FILTER_DELTA) {
        delta[i].type = LZMA_DELTA_TYPE_BYTE;
        delta[i].dist = filter.distance;
        filters.push_back({filter.id, &delta[i]});
      } else {
        filters.push_back({filter.id, nullptr});  // branch filters; liblzma refuses unknown ids
      }
    }
    if (filters.size() > LZMA_FILTERS_MAX) return LZMA_OPTIONS_ERROR;
    filters.push_back({LZMA_VLI_UNKNOWN, nullptr});
    const uint64_t memory = lzma_raw_decoder_memusage(filters.data());
    if (memory == UINT64_MAX) return LZMA_OPTIONS_ERROR;
    if (memory > kMaxMemory) return LZMA_MEMLIMIT_ERROR;
    return lzma_raw_decoder(&stream_, filters.data());
  }

  static void check(lzma_ret result) {
    if (result == LZMA_OK) return;
    if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (result == LZMA_MEMLIMIT_ERROR)
      throw unsupported("lzma: a dictionary of more than {} bytes", kMaxMemory);
    throw damaged("lzma: {}", reason(result));
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Lzma : public Codec {
 public:
  explicit Lzma(LzmaConfiguration configuration) : configuration_(std::move(configuration)) {}

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    GrowingOutput out("lzma", encoded.size(), size);
    ByteSpan rest = encoded;
    do rest = LzmaStream(configuration_).decode(rest, out);
    while (configuration_.format == LzmaFormat::xz && as_text(rest).starts_with("\xfd"
                                                                                "7zXZ"));
    return out.finish();
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }

 private:
  LzmaConfiguration configuration_;
};

}  // namespace

CodecPtr lzma_codec(LzmaConfiguration configuration) {
  return std::make_unique<Lzma>(std::move(configuration));
}

}  // namespace plainfs
