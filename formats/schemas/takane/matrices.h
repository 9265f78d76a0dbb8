// dense_array 1.x: an array of any rank in array.h5. Its dimensions are stored in reverse if the attribute
// `transposed` is set, as R does. Source: takane 0.10.0, include/takane/dense_array.hpp.
#pragma once

#include "formats/core/frames/element.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Opens a dense array. Throws if the file or its group is absent; any other fault makes only the values
// damaged.
Node open_dense_array(const Opening& opening);

// Returns whether the dimensions of a group's data are those of the object in reverse. Throws damaged if the
// attribute is not an integer.
bool is_transposed(const Group& group);

// compressed_sparse_matrix 1.x: a matrix by column (CSC) or by row (CSR) in matrix.h5. The attribute `type`
// gives the type of its values, however they are stored. Source: takane 0.10.0,
// include/takane/compressed_sparse_matrix.hpp.

// Opens a sparse matrix. Throws if the file or its group is absent; any other fault makes only the affected
// part damaged.
Node open_compressed_sparse_matrix(const Opening& opening);

// Returns the rows and columns in a matrix's dataset `shape`. Throws damaged unless it is two numbers.
frames::MatrixShape read_matrix_shape(const Group& group);

}  // namespace plainfs::takane
