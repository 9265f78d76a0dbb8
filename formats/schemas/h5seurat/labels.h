// The labels of an object's rows and columns: lists that are found by its place in the file (VIEWS.md,
// section 7, second table).
#pragma once

#include "formats/schemas/h5seurat/seurat_group.h"

namespace plainfs::h5seurat {

struct Labels {
  ArrayPtr rows;     // null = none
  ArrayPtr columns;  // null = none
};

// Returns whether a matrix at place has features in rows and cells in columns.
bool is_assay_matrix(const Place& place);

// Returns the names of a matrix, dense or sparse, with that many rows and columns. Lists that do not fit are
// left out, with a warning.
Labels matrix_labels(const SeuratFile& file, const Place& place, uint64_t rows, uint64_t columns);

// Returns the list that names the rows of a matrix at place, whatever its length.
ArrayPtr row_label_list(const SeuratFile& file, const Place& place);

// Returns the row names of a data frame at place: the cells for meta.data, the features for meta.features.
ArrayPtr table_label_list(const SeuratFile& file, const Place& place);

}  // namespace plainfs::h5seurat
