// Fill values: one JSON value, parsed as one element of the array's type. The forms are those of zarr-specs
// v2 (NumPy's kinds, base64 for bytes and records) and v3, and those that writers use beyond them
// (formats/containers/zarr/FORMAT.md).
#pragma once

#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/elements/elements.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

// Parse fill and return exactly one element. Null is zero, FALSE or empty; if elements are JSON values it is
// missing. Throw damaged if fill is not a value of dtype.
Elements v2_fill(const Json& fill, const DType& dtype);
Elements v3_fill(const Json& fill, const DType& dtype);

}  // namespace plainfs::zarr
