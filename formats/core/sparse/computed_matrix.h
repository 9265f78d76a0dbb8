// Access to a matrix that is computed as it is read (entry_source.h): as the lists of a compressed matrix,
// along its other side, or as a dense array.
#pragma once

#include <functional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/entry_source.h"

namespace plainfs {

// Returns the value, index and pointer of `source` in a SparseMatrix without sizes or names. Counts all
// entries. Computed pieces are kept in the cache. Throws what the source throws, and unsupported if there are
// too many majors to count.
SparseMatrix computed_lists(const EntrySourcePtr& source, Context& context);

// Returns the matrix along its other side. Its entries are sorted (column_order.h) when one is first needed.
EntrySourcePtr flipped(EntrySourcePtr source, Context& context);

// Returns a function that calls `make` when its matrix is first needed, and only once unless it throws.
// Thread-safe.
std::function<SparseMatrix()> evaluated_once(std::function<SparseMatrix()> make);

// The value of several entries at one position of a matrix.
enum class RepeatedEntries { last_counts, are_added };

// Returns a dense array of rows by columns, zero without an entry. by_row: the source runs over rows.
ArrayPtr computed_dense(EntrySourcePtr source, bool by_row,
                        RepeatedEntries repeated = RepeatedEntries::last_counts);

}  // namespace plainfs
