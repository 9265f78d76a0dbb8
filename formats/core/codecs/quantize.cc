#include "formats/core/codecs/cast_numbers.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {

// The digits that are lost are lost: what is left to undo is the cast.
CodecPtr quantize_codec(DType decoded, DType encoded) {
  return cast_numbers_codec("quantize", std::move(decoded), std::move(encoded));
}

}  // namespace plainfs
