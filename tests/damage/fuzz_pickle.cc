// Pickles, as values, as chunks of objects and as chunks of records. Input: the chunk's length, the pickle.
#include <cstdlib>

#include "formats/core/codecs/pickle.h"
#include "formats/core/model/elements/numpy_dtype.h"

namespace {

using namespace plainfs;

// The limit of the text of a pickle, as a multiple of its size (pickle_text.cc).
constexpr uint64_t kMaxTimes = 256;
constexpr uint64_t kMaxBytes = uint64_t{32} << 20;

void decode(const ObjectCodec& codec, ByteSpan pickle, uint64_t length) {
  const uint64_t shape[] = {length};
  try {
    const Elements elements = codec.decode(pickle, shape);
    if (elements.count != length || elements.bytes.size() > pickle.size() * kMaxTimes + kMaxBytes)
      std::abort();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const ByteSpan pickle = std::as_bytes(std::span(data + 1, size - 1));
  try {
    read_pickle(pickle);
  } catch (const Error&) {
  }
  decode(*pickle_codec(number_type(Kind::json, 0)), pickle, data[0]);
  static const DType record = packed_compound_type({{"i", parse_numpy_dtype(">i4"), 0},
                                                    {"s", parse_numpy_dtype("|O"), 0},
                                                    {"f", parse_numpy_dtype("<f4"), 0},
                                                    {"b", parse_numpy_dtype("|S3"), 0},
                                                    {"t", parse_numpy_dtype("|b1"), 0}});
  decode(*pickle_codec(record), pickle, data[0]);
  return 0;
}
