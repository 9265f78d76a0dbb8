// Every codec to bytes. Input: the codec, whether the size is exact, the size (u16 little-endian), the chunk.
#include <cstdlib>

#include "formats/core/base/cursor.h"
#include "formats/core/codecs/codecs.h"
#include "formats/core/model/elements/numpy_dtype.h"

namespace {

using namespace plainfs;

struct Setting {
  std::string_view id;
  std::string_view configuration;
  std::string_view dtype;
};

// Append new ones: the corpus refers to these by number.
constexpr Setting kSettings[] = {
    {"blosc", "{}", "<i4"},
    {"zstd", "{}", "<i4"},
    {"zlib", "{}", "<i4"},
    {"gzip", "{}", "<i4"},
    {"lz4", "{}", "<i4"},
    {"bz2", "{}", "<i4"},
    {"lzma", "{}", "<i4"},
    {"lzma", R"({"format": 2})", "<i4"},
    {"lzma", R"({"format": 3, "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]})", "<i4"},
    {"zfpy", "{}", "<f8"},
    {"shuffle", R"({"elementsize": 3})", "<i4"},
    {"base64", "{}", "<i4"},
    {"delta", R"({"dtype": "<i4", "astype": "|i1"})", "<i4"},
    {"fixedscaleoffset", R"({"dtype": "<f4", "astype": "<i2", "scale": 3})", "<f4"},
    {"astype", R"({"decode_dtype": "<i2", "encode_dtype": "<f8"})", "<i2"},
    {"packbits", "{}", "|b1"},
    {"categorize", R"({"labels": ["a", "bc", "d"], "dtype": "<U2", "astype": "|u1"})", "<U2"},
    {"crc32", "{}", "<i4"},
    {"crc32c", "{}", "<i4"},
    {"fletcher32", "{}", "<i4"},
    {"jenkins_lookup3", "{}", "<i4"},
};
constexpr unsigned kFilters[] = {1, 2, 3, 307, 32000};

CodecPtr make(unsigned which) {
  if (which < std::size(kSettings)) {
    const Setting& setting = kSettings[which];
    return make_zarr_codec(setting.id, parse_json(setting.configuration), parse_numpy_dtype(setting.dtype));
  }
  return make_hdf5_filter(kFilters[(which - std::size(kSettings)) % std::size(kFilters)], {}, 4);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const ByteSpan input = std::as_bytes(std::span(data, size));
  const uint64_t bytes = load_little<uint16_t>(input.data() + 2);
  const DecodedSize allowed = data[1] % 2 ? DecodedSize::exactly(bytes) : DecodedSize::at_most(bytes);
  const ByteSpan chunk = input.subspan(4);
  try {
    const Bytes decoded = make(data[0])->decode(Bytes(chunk.begin(), chunk.end()), allowed);
    if (decoded.size() > bytes || (allowed.exact && decoded.size() != bytes)) std::abort();
    static volatile unsigned sum = 0;  // every byte is read, so that a sanitizer detects unwritten ones
    for (const std::byte value : decoded) sum = sum + static_cast<unsigned>(value);
  } catch (const Error&) {
  }
  return 0;
}
