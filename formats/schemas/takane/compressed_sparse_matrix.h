// compressed_sparse_matrix 1.x: a matrix by column (CSC) or by row (CSR) in matrix.h5, whose attribute `type`
// says what its values are, whatever stores them. Source: takane 0.10.0,
// include/takane/compressed_sparse_matrix.hpp.
#pragma once

#include "formats/core/frames/encoding.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Throws where the file or its group is not there; whatever else is wrong makes only what it concerns
// damaged.
Node open_compressed_sparse_matrix(const Opening& opening);

// The rows and columns in a matrix's dataset `shape`. Throws damaged where it is not two numbers.
frames::MatrixShape read_matrix_shape(const Group& group);

}  // namespace plainfs::takane
