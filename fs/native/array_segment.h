// Numbers of an array as a segment of a file: the elements in C order of its shape, each in one form.
#pragma once

#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"

namespace plainfs {

SegmentPtr array_segment(ArrayPtr array, ElementForm form, Context& context);

// Elements [first, first + count) as they are written to out, count elements of the form's size.
using WriteElements = std::function<void(uint64_t first, uint64_t count, std::byte* out)>;

// Writes what is wanted of a run of elements of size bytes each, which it may cut at both ends.
void read_elements(const Wanted& wanted, uint32_t size, const WriteElements& write);

}  // namespace plainfs
