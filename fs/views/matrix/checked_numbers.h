// Numbers of a matrix, checked on read against the range of the file that shows them.
#pragma once

#include <string>

#include "formats/core/model/arrays/array.h"

namespace plainfs {

// Returns `indices`, checked on read: throws damaged if one is negative or not below `limit`. what: "row".
ArrayPtr indices_below(ArrayPtr indices, uint64_t limit, const std::string& what);

// Returns `values`, checked on read: throws unsupported if an integer or boolean is missing, because nothing
// can represent it. Reals are unchanged.
ArrayPtr without_missing_integers(ArrayPtr values);

// Returns `values`, checked on read: throws unsupported if one does not fit an integer of 32 bits.
ArrayPtr within_32_bits(ArrayPtr values);

// Returns integers or booleans as reals of 64 bits, NaN if missing. A read throws unsupported if one is not
// exact.
ArrayPtr as_reals(ArrayPtr values);

}  // namespace plainfs
