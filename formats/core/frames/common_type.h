// Common types of combined arrays that have values of different types.
#pragma once

#include <vector>

#include "formats/core/model/arrays/array.h"

namespace plainfs {

// Returns the type that represents the values of all `types` exactly: truth values if all are, else 64-bit
// integers, else 64-bit reals; text of variable length if all are texts. Throws unsupported if numbers are
// mixed with texts. Requires: at least one type.
DType common_type(const std::vector<DType>& types);

// Returns NumPy's common type of types of numbers: float32 with int16 is float32, with int32 float64. Truth
// values are the smallest type. Requires: at least one type, all numeric.
DType promoted_type(const std::vector<DType>& types);

// Returns elements of type `from` as numbers of type `to` (truth values as 1 and 0). Missing elements stay
// missing.
Elements as_type(const DType& from, Elements elements, const DType& to);

// Returns `values` as numbers or texts of that type.
ArrayPtr with_type(ArrayPtr values, const DType& to);

}  // namespace plainfs
