// What a raw group or array of an h5Seurat file is: a data frame, a sparse matrix, a factor, a labelled
// matrix. Each function gives nullopt where it is none. They read attributes and open members, but no
// elements, except where a sparse matrix does not say how many rows it has.
#pragma once

#include <optional>

#include "formats/schemas/h5seurat/seurat_group.h"

namespace plainfs::h5seurat {

// meta.data, assays/A/meta.features, and any group with the attribute colnames. parent: the raw group it is
// in.
std::optional<Table> table_of(const SeuratFile& file, const Group& parent, const Group& group,
                              const Place& place);

// A group with indices, indptr and data.
std::optional<SparseMatrix> sparse_of(const SeuratFile& file, const Group& group, const Place& place);

// A group of exactly levels and values, or of exactly categories and codes, as labels; null where it is none.
ArrayPtr factor_of(const SeuratFile& file, const Group& group);

// The array as R means it, with the names of its rows and columns. node: a raw node whose content is a
// LabelledArray; group: the raw group it is in.
LabelledArray labelled_array_of(const SeuratFile& file, const Group& group, const Node& node,
                                const Place& place);

}  // namespace plainfs::h5seurat
