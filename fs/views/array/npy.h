// An array as NPY, or as the same bytes without the header (fs/VIEWS.md, section 3): elements as stored,
// packed and little-endian. A read of the file reads only the runs of elements that it touches.
#pragma once

#include <memory>
#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "fs/text/view_file.h"

namespace plainfs {

// Returns whether the array can be shown: it has elements of a fixed size and a shape.
bool has_npy(const Array& array);

// Returns the whole header, with a length that is a multiple of 64. Requires: has_npy(array).
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html)
std::string npy_header(const Array& array);

// Returns the array as a file. Requires: has_npy(*array).
std::unique_ptr<ViewFile> npy_file(ArrayPtr array, bool with_header, Context& context);

}  // namespace plainfs
