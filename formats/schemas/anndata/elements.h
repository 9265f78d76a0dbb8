// What a group of AnnData's format is by what it says of itself, wherever it stands.
#pragma once

#include <optional>

#include "formats/core/frames/element.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::anndata {

// A compressed matrix by its encoding (csr_matrix or csc_matrix, or the attribute h5sparse_format of anndata
// 0.6); transposed: with rows and columns changed. Nullopt where group is none. A shape that is absent or no
// shape is in the matrix' error. Throws where the attributes that tell cannot be read.
std::optional<SparseMatrix> sparse_matrix(const Group& group, const Attributes& attributes, bool transposed);

// A categorical, nullable or awkward array as what its .csv shows; null where node is none. node: a group.
ArrayPtr encoded_values(const Node& node, const Attributes& attributes, Context& context);

// Whether a member stands for None: an array without an element, or in Zarr a truth value, whose encoding
// says so.
bool is_null_element(const Node& node);

// Whether group is an AnnData or a MuData: by its encoding, or, up to anndata 0.7, by its obs and var.
bool is_anndata(const Group& group, const Attributes& attributes);
bool is_mudata(const Attributes& attributes);

}  // namespace plainfs::anndata
