// Values of different types in one array, as combining arrays has them.
#pragma once

#include <vector>

#include "formats/core/model/array.h"

namespace plainfs {

// The type that holds the values of all types exactly: truth values where all are, else whole numbers of 64
// bits, else 64-bit reals; text of variable length where all are texts. Throws unsupported where numbers meet
// texts. Requires: at least one.
DType common_type(const std::vector<DType>& types);

// Elements of type from as numbers of type to (truth values as 1 and 0), missing ones as they are.
Elements as_type(const DType& from, Elements elements, const DType& to);

// values as numbers or texts of that type.
ArrayPtr with_type(ArrayPtr values, const DType& to);

}  // namespace plainfs
