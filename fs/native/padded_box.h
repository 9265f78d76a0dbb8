// A box of an array in C order, as large as every other one of its grid, and where it reaches beyond the
// array filled up: a chunk of a Zarr array without a compressor, a tile of a TIFF.
#pragma once

#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"

namespace plainfs {

// Elements of array from origin on, in boxes of the shape `box`: after the first axis along which a box has
// several elements, all axes but the next are within the array. Filled up with zeros. Requires: array is not
// column-major; origin is inside.
SegmentPtr padded_box(ArrayPtr array, ElementForm form, Shape origin, const Shape& box);

}  // namespace plainfs
