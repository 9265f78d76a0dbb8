// Stored arrays converted to the types of BPCells. A directory has exactly these types. HDF5 groups and R
// objects may have others, which are converted by value, as BPCells does (FORMAT.md).
#pragma once

#include <string>

#include "formats/core/model/arrays/array.h"

namespace plainfs::bpcells {

// Returns rank-1 numbers as numbers of another type, or values itself if it has that type. Reading a value
// that type cannot hold throws damaged. Throws damaged if values are not of rank 1 or not numeric.
ArrayPtr numbers_as(ArrayPtr values, const DType& type, const std::string& name);

// Returns rank-1 fixed-length strings as variable-length text without their padding, and text unchanged.
// Throws damaged for anything else.
ArrayPtr names_of(ArrayPtr values, const std::string& name);

// Returns the first count values of a rank-1 array. Throws damaged if it has fewer.
ArrayPtr first_values(ArrayPtr values, uint64_t count, const std::string& name);

// Returns pointer with a check() that reads it once and throws damaged unless it begins with 0 and never
// falls.
ArrayPtr rising_pointer(ArrayPtr pointer, const std::string& name);

// Returns pointer with a check() that reads it once and throws damaged unless it holds pairs of a begin and
// an end that is not before it.
ArrayPtr range_pointer(ArrayPtr pointer, const std::string& name);

// Return a value of a rank-1 array of integers. Both throw damaged for a value that does not fit in uint64.
uint64_t last_value(const ArrayPtr& values, const std::string& name);     // throws damaged if it is empty
uint64_t largest_value(const ArrayPtr& values, const std::string& name);  // 0 if it is empty

}  // namespace plainfs::bpcells
