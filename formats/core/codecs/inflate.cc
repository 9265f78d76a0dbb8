#include "formats/core/codecs/inflate.h"

#include <libdeflate.h>
#include <zlib.h>

#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* it) const { libdeflate_free_decompressor(it); }
};

libdeflate_decompressor* thread_decompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> it(
      libdeflate_alloc_decompressor());
  if (!it) throw std::bad_alloc();
  return it.get();
}

std::string_view reason(libdeflate_result result) {
  switch (result) {
    case LIBDEFLATE_BAD_DATA:
      return "invalid or truncated data, or a wrong checksum";
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return "more data than expected";
    default:
      return "less data than expected";
  }
}

bool only_zeros(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

Bytes gzip_exactly(ByteSpan encoded, uint64_t bytes) {
  Bytes out(bytes);
  size_t written = 0;
  do {
    size_t in_used = 0;
    size_t out_used = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(thread_decompressor(), encoded.data(), encoded.size(),
                                      out.data() + written, out.size() - written, &in_used, &out_used);
    if (result != LIBDEFLATE_SUCCESS) throw damaged("gzip: {}", reason(result));
    written += out_used;
    encoded = encoded.subspan(in_used);
  } while (!only_zeros(encoded));
  check_decoded_size("gzip", written, DecodedSize::exactly(bytes));
  return out;
}

// An owned z_stream.
class ZlibStream {
 public:
  ZlibStream(std::string_view codec, int window_bits) : codec_(codec) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibStream() { inflateEnd(&stream_); }
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;

  // Decodes one stream from the front of `encoded` to `out`. Returns the rest of `encoded`.
  ByteSpan decode(ByteSpan encoded, GrowingOutput& out) {
    inflateReset(&stream_);
    for (;;) {
      out.make_room();
      constexpr size_t kMax = 1u << 30;
      const size_t offered_in = std::min(encoded.size(), kMax);
      const size_t offered_out = std::min(out.free_size(), kMax);
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(encoded.data()));
      stream_.avail_in = static_cast<uInt>(offered_in);
      stream_.next_out = reinterpret_cast<Bytef*>(out.free_data());
      stream_.avail_out = static_cast<uInt>(offered_out);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      const size_t used_in = offered_in - stream_.avail_in;
      const size_t used_out = offered_out - stream_.avail_out;
      encoded = encoded.subspan(used_in);
      out.advance(used_out);
      if (result == Z_STREAM_END) return encoded;
      if (result != Z_OK || (used_in == 0 && used_out == 0))
        throw damaged("{}: {}", codec_, fault_of_zlib(stream_.msg));
    }
  }

 private:
  std::string_view codec_;
  z_stream stream_{};
};

}  // namespace

std::string_view fault_of_zlib(const char* message) {
  const std::string_view text = message ? message : "";
  if (text.empty()) return "the data are truncated";
  if (text.find("header") != text.npos) return "the header is damaged";
  if (text.ends_with("length check")) return "the content is not as long as its trailer states";
  return text.ends_with("check") ? "the content does not match its checksum" : "a block is damaged";
}

Bytes inflate_zlib(ByteSpan encoded, DecodedSize size) {
  if (!size.exact) {
    GrowingOutput out("zlib", encoded.size(), size);
    ZlibStream("zlib", 15).decode(encoded, out);
    return out.finish();
  }
  Bytes out(size.bytes);
  size_t in_used = 0;
  const libdeflate_result result = libdeflate_zlib_decompress_ex(
      thread_decompressor(), encoded.data(), encoded.size(), out.data(), out.size(), &in_used, nullptr);
  if (result != LIBDEFLATE_SUCCESS) throw damaged("zlib: {}", reason(result));
  return out;
}

Bytes inflate_gzip(ByteSpan encoded, DecodedSize size) {
  if (size.exact) return gzip_exactly(encoded, size.bytes);
  GrowingOutput out("gzip", encoded.size(), size);
  ZlibStream stream("gzip", 15 + 16);  // 16: gzip format
  do encoded = stream.decode(encoded, out);
  while (!only_zeros(encoded));
  return out.finish();
}

Bytes gzip_beginning(ByteSpan encoded, size_t most) {
  Bytes out(most);
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(encoded.data()));
  stream.avail_in = static_cast<uInt>(encoded.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_NO_FLUSH);  // wherever that ends, the available data were decoded
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

namespace {

class Zlib : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override { return inflate_zlib(encoded, size); }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

CodecPtr zlib_codec() {
  return std::make_unique<Zlib>();
}

namespace {

class Gzip : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    // Old versions of z5 wrote zlib streams under the name gzip. The first bytes distinguish them.
    const bool gzip = encoded.size() >= 2 && encoded[0] == std::byte{0x1f} && encoded[1] == std::byte{0x8b};
    return gzip || encoded.size() < 2 ? inflate_gzip(encoded, size) : inflate_zlib(encoded, size);
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

CodecPtr gzip_codec() {
  return std::make_unique<Gzip>();
}

}  // namespace plainfs
