#include "formats/core/codecs/cast_numbers.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {

CodecPtr astype_codec(DType decoded, DType encoded) {
  return cast_numbers_codec("astype", std::move(decoded), std::move(encoded));
}

}  // namespace plainfs
