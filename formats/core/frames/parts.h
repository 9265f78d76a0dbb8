// The arrays that make up a structure, by their names in its group. A part that is listed but cannot be
// opened is a BrokenArray, so that only its users fail. Links within the store are followed. Nothing here
// throws.
#pragma once

#include "formats/core/frames/element.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// Returns null if the member is absent or not an array.
ArrayPtr part_of(const Group& group, std::string_view name);
// Returns null if the member is absent or not a group.
GroupPtr group_part_of(const Group& group, std::string_view name);

bool is_broken(const Array& array);

// Return whether the array has that kind, as far as is known: a part that cannot be opened may be anything.
bool may_be_list(const Array& array);      // of rank 1
bool may_be_text(const Array& array);      // a list of texts
bool may_be_integers(const Array& array);  // a list of integers
// Returns whether it may be a list of `length` texts.
bool may_be_names(const Array& array, uint64_t length);

// Return the part if it may be such a list, else null.
ArrayPtr list_part_of(const Group& group, std::string_view name);
ArrayPtr text_part_of(const Group& group, std::string_view name);
ArrayPtr integer_part_of(const Group& group, std::string_view name);

// Groups with data, indices and indptr: compressed sparse matrices of scipy, AnnData, SeuratDisk and 10x.

// Returns whether `group` has all three parts as arrays, even damaged ones.
bool has_compressed_parts(const Group& group);

// Returns the three parts in a SparseMatrix without sizes or names. A part that is absent, not an array or
// unreadable sets `error`, which makes the matrix damaged.
SparseMatrix compressed_parts(const Group& group);

// Returns the matrix of that shape, compressed by row (csr) or by column (csc). transposed: rows and columns
// are exchanged, so a matrix compressed by row becomes one by column, over the same parts in the same order.
SparseMatrix compressed_matrix(const Group& group, const MatrixShape& shape, bool by_row, bool transposed);

}  // namespace plainfs::frames
