// The indices of a sparse matrix, held to the matrix when they are read.
#pragma once

#include <string>

#include "formats/model/array.h"

namespace plainfs {

// indices, of which a read throws damaged where one is negative or not below limit; what: "row".
ArrayPtr indices_below(ArrayPtr indices, uint64_t limit, const std::string& what);

}  // namespace plainfs
