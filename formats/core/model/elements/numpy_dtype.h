// numpy's dtype strings ("<f8", "|S4", "M8[10us]"), used in Zarr v2 metadata, numcodecs configurations and
// pickles (numpy's array interface protocol).
#pragma once

#include <string_view>

#include "formats/core/model/elements/dtype.h"

namespace plainfs {

// Returns the type of one plain (not structured) dtype string. A string without a byte order is
// little-endian. "O" is Kind::json of size 0. numpy's names of numbers ("int32") are accepted too. Throws
// unsupported for kinds and sizes that plainfs does not know, such as "f16".
DType parse_numpy_dtype(std::string_view text);

}  // namespace plainfs
