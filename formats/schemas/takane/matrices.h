// dense_array 1.x: an array of any rank in array.h5, whose dimensions are in reverse there where the
// attribute `transposed` says so, as R writes it. Source: takane 0.10.0, include/takane/dense_array.hpp.
#pragma once

#include "formats/core/frames/element.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Throws where the file or its group is not there; whatever else is wrong makes only the values damaged.
Node open_dense_array(const Opening& opening);

// Whether the dimensions of a group's data are those of the object in reverse. Throws damaged where the
// attribute is no whole number.
bool is_transposed(const Group& group);

// compressed_sparse_matrix 1.x: a matrix by column (CSC) or by row (CSR) in matrix.h5, whose attribute `type`
// says what its values are, whatever stores them. Source: takane 0.10.0,
// include/takane/compressed_sparse_matrix.hpp.

// Throws where the file or its group is not there; whatever else is wrong makes only what it concerns
// damaged.
Node open_compressed_sparse_matrix(const Opening& opening);

// The rows and columns in a matrix's dataset `shape`. Throws damaged where it is not two numbers.
frames::MatrixShape read_matrix_shape(const Group& group);

}  // namespace plainfs::takane
