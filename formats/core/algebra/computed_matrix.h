// What is read of a matrix that is computed as it is read (entry_source.h): the lists of a compressed matrix,
// or the elements of a dense one.
#pragma once

#include <functional>

#include "formats/core/algebra/entry_source.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// The value, index and pointer of source in a SparseMatrix without sizes or names. Counts all entries; what
// is computed is kept in the cache, piece by piece. Throws what the source throws, and unsupported where
// there are too many majors to count.
SparseMatrix computed_lists(const EntrySourcePtr& source, Context& context);

// make, called when its matrix is first asked for, and only once unless it throws. Thread-safe.
std::function<SparseMatrix()> made_once(std::function<SparseMatrix()> make);

// rows by columns, zero where there is no entry; of several at one place the last. by_row: the source runs
// over rows.
ArrayPtr computed_dense(EntrySourcePtr source, bool by_row);

}  // namespace plainfs
