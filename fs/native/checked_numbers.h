// Numbers of a matrix, held to what the file that shows them can say when they are read.
#pragma once

#include <string>

#include "formats/core/model/array.h"

namespace plainfs {

// indices, of which a read throws damaged where one is negative or not below limit; what: "row".
ArrayPtr indices_below(ArrayPtr indices, uint64_t limit, const std::string& what);

// values, of which a read throws unsupported where a whole number or truth value is missing: there is none
// that stands for it. Reals stay as they are.
ArrayPtr without_missing_integers(ArrayPtr values);

// values, of which a read throws unsupported where an integer of 32 bits cannot hold one.
ArrayPtr within_32_bits(ArrayPtr values);

// Whole numbers or truth values as reals of 64 bits, NaN where one is missing. A read throws unsupported
// where one is not exact.
ArrayPtr as_reals(ArrayPtr values);

}  // namespace plainfs
