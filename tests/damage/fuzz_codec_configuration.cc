// Codecs by name and configuration, as in metadata. Input: a name, a line end, a dtype, a line end, the
// configuration as JSON, a NUL, a chunk.
#include <cstdlib>

#include "formats/core/codecs/codecs.h"
#include "formats/core/model/elements/numpy_dtype.h"

namespace {

using namespace plainfs;

std::string_view take(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

template <class Work>
void quietly(Work&& work) {
  try {
    work();
  } catch (const Error&) {
  }
}

void use(const Codec& codec, std::string_view chunk) {
  constexpr uint64_t kMax = 1 << 16;
  quietly([&] { codec.encoded_size(chunk.size()); });
  quietly([&] { codec.encoded_stage({number_type(Kind::integer, 4), {chunk.size(), 3}}); });
  quietly([&] {
    const ByteSpan bytes = as_byte_span(chunk);
    if (codec.decode(Bytes(bytes.begin(), bytes.end()), DecodedSize::at_most(kMax)).size() > kMax)
      std::abort();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view name = take(input, '\n');
  const std::string_view dtype = take(input, '\n');
  const std::string_view configuration = take(input, '\0');
  quietly([&] {
    const DType type = parse_numpy_dtype(dtype);
    const Json json = parse_json(configuration);
    quietly([&] { use(*make_zarr_codec(name, json, type), input); });
    quietly([&] { use(*make_zarr_v3_codec(name, json, {type, {4, 3}}), input); });
    quietly([&] {
      const uint64_t shape[] = {input.size() % 7};
      if (const ObjectCodecPtr codec = make_zarr_object_codec(name, json, type))
        if (codec->decode(as_byte_span(input), shape).count != shape[0]) std::abort();
    });
  });
  return 0;
}
