// Some columns of a matrix in an order of their own.
#pragma once

#include <vector>

#include "formats/core/model/array.h"

namespace plainfs {

// Of a matrix of numbers that is not column-major: its columns that order names, of which each is below their
// number.
ArrayPtr chosen_columns(ArrayPtr matrix, std::vector<uint64_t> order);

}  // namespace plainfs
