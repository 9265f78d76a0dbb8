// Numbers of an array as a segment of a file, all in one form.
#pragma once

#include "formats/core/model/arrays/array.h"
#include "fs/layout/byte_layout.h"
#include "fs/layout/element_form.h"

namespace plainfs {

// Returns the elements in C order of the array's shape. part_bytes: about the size of a block that is a part
// of a band of chunks.
SegmentPtr array_segment(ArrayPtr array, ElementForm form, Context& context,
                         uint64_t part_bytes = kLayoutBlockBytes);

// Returns a box of the array, padded with zeros beyond the array's end to the full size of its grid: a chunk
// of an uncompressed Zarr array, a tile of a TIFF. Contains the elements from `origin` on, in boxes of the
// shape `box`. Behind the first axis along which a box has several elements, all axes but the next are within
// the array. Requires: array is not column-major; origin is inside.
SegmentPtr padded_box(ArrayPtr array, ElementForm form, Shape origin, const Shape& box);

// Writes elements [first, first + count) to `out`, count elements of the form's size.
using WriteElements = std::function<void(uint64_t first, uint64_t count, std::byte* out)>;

// Writes the wanted part of a run of elements of `size` bytes each; the part may begin and end within an
// element.
void read_elements(const Wanted& wanted, uint32_t size, const WriteElements& write);

// Returns whether the wanted part consists of whole elements of `size` bytes and its memory is aligned for
// them.
bool are_whole_elements(const Wanted& wanted, uint32_t size);

}  // namespace plainfs
