// Fill values: one JSON value, read as one element of the array's type. The forms are those of zarr-specs v2
// (NumPy's kinds, base64 for bytes and records) and v3, with what real writers do beyond them
// (formats/containers/zarr/FORMAT.md).
#pragma once

#include "formats/core/model/dtype.h"
#include "formats/core/model/elements.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {

// Exactly one element. Null is zero, FALSE or empty, and missing where elements are JSON values.
// Throws damaged where the value is none of that type.
Elements v2_fill(const Json& fill, const DType& dtype);
Elements v3_fill(const Json& fill, const DType& dtype);

}  // namespace plainfs::zarr
