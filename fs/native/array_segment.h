// Numbers of an array as a segment of a file, each in one form.
#pragma once

#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"

namespace plainfs {

// The elements in C order of the array's shape.
SegmentPtr array_segment(ArrayPtr array, ElementForm form, Context& context);

// A box of it, as large as every other one of its grid, and where it reaches beyond the array filled up with
// zeros: a chunk of a Zarr array without a compressor, a tile of a TIFF. The elements from origin on, in
// boxes of the shape `box`: after the first axis along which a box has several elements, all axes but the
// next are within the array. Requires: array is not column-major; origin is inside.
SegmentPtr padded_box(ArrayPtr array, ElementForm form, Shape origin, const Shape& box);

// Elements [first, first + count) as they are written to out, count elements of the form's size.
using WriteElements = std::function<void(uint64_t first, uint64_t count, std::byte* out)>;

// Writes what is wanted of a run of elements of size bytes each, which it may cut at both ends.
void read_elements(const Wanted& wanted, uint32_t size, const WriteElements& write);

// Whether what is wanted are whole elements of size bytes, and stands where such may stand in memory.
bool are_whole_elements(const Wanted& wanted, uint32_t size);

}  // namespace plainfs
