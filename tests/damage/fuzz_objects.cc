// Every object codec but pickle. Input: which codec, the chunk's length, the chunk.
#include <cstdlib>

#include "formats/core/codecs/codecs.h"

namespace {

using namespace plainfs;

struct Setting {
  std::string_view id;
  std::string_view configuration;
};

constexpr Setting kSettings[] = {
    {"vlen-utf8", "{}"},
    {"vlen-bytes", "{}"},
    {"vlen-array", R"({"dtype": ">i2"})"},
    {"json2", "{}"},
    {"msgpack2", "{}"},
    {"categorize", R"({"labels": ["a", "bc"], "dtype": "|O", "astype": "<i2"})"},
    {"json", "{}"},
    {"msgpack", R"({"raw": true})"},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const Setting& setting = kSettings[data[0] % std::size(kSettings)];
  const auto codec =
      make_zarr_object_codec(setting.id, parse_json(setting.configuration), number_type(Kind::json, 0));
  const uint64_t shape[] = {data[1]};
  try {
    const Elements elements = codec->decode(std::as_bytes(std::span(data + 2, size - 2)), shape);
    if (elements.count != shape[0] || elements.offsets.size() != shape[0] + 1) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
