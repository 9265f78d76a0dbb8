// The conversion that quantize and astype undo theirs with.
#pragma once

#include "formats/core/codecs/number_stage.h"

namespace plainfs {

// Every number cast from the type encoded to the type decoded, as numpy's astype.
CodecPtr cast_numbers_codec(std::string_view name, DType decoded, DType encoded);

}  // namespace plainfs
