// One chunk of a Zarr array without a compressor: in C order, as large as every other chunk, and where it
// reaches beyond the array filled up.
#pragma once

#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"

namespace plainfs {

// Elements of array from origin on, in chunks of the shape `chunk`: along all axes but the first two a chunk
// is as long as the array. Filled up with zeros. Requires: array is not column-major; origin is inside.
SegmentPtr zarr_chunk(ArrayPtr array, ElementForm form, Shape origin, const Shape& chunk);

}  // namespace plainfs
