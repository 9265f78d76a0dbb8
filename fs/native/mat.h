// An array of numbers as a MAT-file of version 5, which MATLAB, Octave and scipy.io.loadmat open: one
// variable, `data`, not compressed, so that its size follows from the shape. Source: "MAT-File Format", The
// MathWorks, chapter 1, level 5.
#pragma once

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// Whether it is of integers, reals or truth values, and no null dataspace; not where some of its truth values
// or integers of 64 bits may be missing.
bool has_mat(const Array& array);

// In column order; of rank 0 1 x 1, of rank 1 a column. Integers and reals keep their type, reals of 16 bits
// are of 32, truth values logical; integers of which some may be missing are doubles, NaN those. Throws
// unsupported where it would have 2^31 bytes or more, which the format cannot say.
ByteLayout array_mat(const ArrayPtr& array, Context& context);

}  // namespace plainfs
