// Recognition of AnnData's elements by their own attributes, in any group.
#pragma once

#include <optional>

#include "formats/core/frames/element.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::anndata {

// Returns a compressed matrix, recognised by its encoding (csr_matrix or csc_matrix, or the attribute
// h5sparse_format of anndata 0.6); nullopt if group has none of these. transposed: exchange rows and columns.
// A missing or invalid shape is the matrix's error. Throws if the attributes that identify it cannot be read.
std::optional<SparseMatrix> sparse_matrix(const Group& group, const Attributes& attributes, bool transposed);

// Returns the values that the .csv of a categorical, nullable or awkward array shows; null for any other
// node. node: a group.
ArrayPtr encoded_values(const Node& node, const Attributes& attributes, Context& context);

// Returns whether a member stands for None: an array without elements, or in Zarr a truth value, with the
// encoding `null`.
bool is_null_element(const Node& node);

// Returns whether group is an AnnData, by its encoding or, up to anndata 0.7, by its obs and var.
bool is_anndata(const Group& group, const Attributes& attributes);
bool is_mudata(const Attributes& attributes);

}  // namespace plainfs::anndata
