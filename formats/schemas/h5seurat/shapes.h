// Recognition of the raw groups and arrays of an h5Seurat file: data frames, sparse matrices, factors,
// labelled matrices. Each function returns nullopt or null for any other object. They read attributes and
// open members, but read no elements, except to count the rows of a sparse matrix that does not store the
// number.
#pragma once

#include <optional>

#include "formats/schemas/h5seurat/seurat_group.h"

namespace plainfs::h5seurat {

// Returns a data frame: meta.data, assays/A/meta.features, and any group with the attribute colnames. parent:
// the raw group that contains it.
std::optional<Table> table_of(const SeuratFile& file, const Group& parent, const Group& group,
                              const Place& place);

// Returns a sparse matrix: a group with indices, indptr and data.
std::optional<SparseMatrix> sparse_of(const SeuratFile& file, const Group& group, const Place& place);

// Returns the labels of a factor: a group of exactly levels and values, or of exactly categories and codes.
// Null for any other group.
ArrayPtr factor_of(const SeuratFile& file, const Group& group);

// Returns the array in R's sense, with the names of its rows and columns. node: a raw node with a
// LabelledArray as content. group: the raw group that contains it.
LabelledArray labelled_array_of(const SeuratFile& file, const Group& group, const Node& node,
                                const Place& place);

}  // namespace plainfs::h5seurat
