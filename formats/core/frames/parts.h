// The arrays that a structure is made of, by their names in its group. A part that is listed and cannot be
// opened is still that part: it is a BrokenArray, so that only what uses it fails. Links of the store itself
// are followed. Nothing here throws.
#pragma once

#include "formats/core/frames/element.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// Null where there is no such member or it is no array.
ArrayPtr part_of(const Group& group, std::string_view name);
// Null where there is no such member or it is no group.
GroupPtr group_part_of(const Group& group, std::string_view name);

bool is_broken(const Array& array);

// Whether the array is of that kind, as far as is known: a part that cannot be opened may be anything.
bool may_be_list(const Array& array);      // of rank 1
bool may_be_text(const Array& array);      // a list of texts
bool may_be_integers(const Array& array);  // a list of whole numbers
// A list of texts of that length.
bool may_be_names(const Array& array, uint64_t length);

// The part where it may be such a list, else null.
ArrayPtr list_part_of(const Group& group, std::string_view name);
ArrayPtr text_part_of(const Group& group, std::string_view name);
ArrayPtr integer_part_of(const Group& group, std::string_view name);

// A group of data, indices and indptr: a compressed sparse matrix as scipy, AnnData, SeuratDisk and 10x keep
// it.

// Whether group has all three parts as arrays, be they damaged.
bool has_compressed_parts(const Group& group);

// The three parts in a SparseMatrix without sizes or names. One that is absent, no array or unreadable is in
// error, which makes the matrix damaged.
SparseMatrix compressed_parts(const Group& group);

// The matrix of that shape, compressed by row (csr) or by column (csc); transposed: rows and columns change
// places, and what was compressed by row is by column, over the same parts in the same order.
SparseMatrix compressed_matrix(const Group& group, const MatrixShape& shape, bool by_row, bool transposed);

}  // namespace plainfs::frames
