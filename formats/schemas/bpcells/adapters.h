// Stored arrays seen as what BPCells means by them. A directory has exactly the types of the format; HDF5
// groups and R objects may have others, which are read by value, as BPCells does (FORMAT.md).
#pragma once

#include <string>

#include "formats/core/model/array.h"

namespace plainfs::bpcells {

// Rank-1 numbers as a number of another type. A value that type cannot hold is Error(damaged) when it is
// read; values of rank other than 1, or that are no numbers, at once. values itself where nothing is to be
// done.
ArrayPtr numbers_as(ArrayPtr values, const DType& type, const std::string& name);

// Rank-1 fixed-length strings as variable-length text, without their padding; text as it is. Throws
// Error(damaged) for anything else.
ArrayPtr names_of(ArrayPtr values, const std::string& name);

// The first count values of a rank-1 array; Error(damaged) where it has fewer.
ArrayPtr first_values(ArrayPtr values, uint64_t count, const std::string& name);

// pointer as stored, with a check() that runs over it once: it must begin with 0 and never fall.
ArrayPtr rising_pointer(ArrayPtr pointer, const std::string& name);

// pointer as stored, with a check() that runs over it once: pairs of a begin and an end that is not before
// it.
ArrayPtr range_pointer(ArrayPtr pointer, const std::string& name);

// Of a rank-1 array of integers. Both throw Error(damaged) for a value that is no uint64.
uint64_t last_value(const ArrayPtr& values, const std::string& name);  // Error(damaged) where there is none
uint64_t largest_value(const ArrayPtr& values, const std::string& name);  // 0 where there is none

}  // namespace plainfs::bpcells
