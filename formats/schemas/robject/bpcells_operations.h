// Lazy operations of the package BPCells: objects that contain other matrices, which are computed when they
// are read. FORMAT.md, "BPCells", has the operations and their sources.
#pragma once

#include <functional>

#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {

// Returns the first class of an object; "" if it has none.
std::string bpcells_class(const Value& object);

// Returns whether the object is an operation on other matrices, known or not. False for stored matrices.
bool is_bpcells_operation(const Value& object);

// Returns the matrix of a stored object.
using StoredMatrix = std::function<SparseMatrix(const ValuePtr& object)>;

// Returns the result of an operation, without names, and without reading a matrix. by_row: whether the object
// is transposed; BPCells stores every matrix by column. Throws unsupported, with its class, for an operation
// that is not computed, and damaged if its slots do not fit.
SparseMatrix bpcells_result(const ValuePtr& operation, bool by_row, const StoredMatrix& stored,
                            Context& context);

}  // namespace plainfs::robject
