// Which lists name the rows and the columns of an object, by its place in the file (VIEWS.md, section 7,
// second table).
#pragma once

#include "formats/schemas/h5seurat/seurat_group.h"

namespace plainfs::h5seurat {

struct Labels {
  ArrayPtr rows;     // null = none
  ArrayPtr columns;  // null = none
};

// Whether a matrix there is one of features by cells.
bool is_assay_matrix(const Place& place);

// Of a matrix, dense or sparse, of that many rows and columns. Lists that do not fit are left out, with a
// warning.
Labels matrix_labels(const SeuratFile& file, const Place& place, uint64_t rows, uint64_t columns);

// The names of a matrix's rows by its place alone, however many they are.
ArrayPtr row_label_list(const SeuratFile& file, const Place& place);

// The row names of a data frame by its place: those of meta.data are the cells, those of meta.features the
// features.
ArrayPtr table_label_list(const SeuratFile& file, const Place& place);

}  // namespace plainfs::h5seurat
