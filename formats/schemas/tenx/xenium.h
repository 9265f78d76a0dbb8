// The Zarr stores of a Xenium run, by their members: the counts of a cell_feature_matrix.zarr.zip, what a
// cells.zarr.zip says of each cell, and the molecules of a transcripts.zarr.zip. Facts and their sources:
// FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/schemas/tenx/matrix.h"

namespace plainfs::tenx {

// A group of counts: features by cells, with the table of its features.
struct XeniumMatrix {
  SparseMatrix matrix;
  Table features;  // id, name, feature_type: those that there are
};
// nullopt for any other group. Reads attributes and no data. Names of another number than features or cells
// are not used.
std::optional<XeniumMatrix> xenium_matrix_in(const Group& group, const Notice& notice = {});

// The group of a cells.zarr.zip, in which the array cell_summary has a name for each column and each cell;
// null for any other group.
GroupPtr xenium_cells(const GroupPtr& group);

// Returns the molecules of a square of a transcripts.zarr.zip as a table, with the column names of Xenium's
// transcripts.csv: x_location, y_location, z_location, feature_name, qv. Nullopt for any other group.
// Reads attributes and no data.
std::optional<Table> xenium_transcripts_in(const Group& square, Context& context);
// Returns whether the root is that of a transcripts.zarr.zip.
bool are_xenium_transcripts(const Group& root);

// The names of the cells that cell_id stands for, as Xenium's tables have them: "aaaaaaab-1" of 1 and 1, "7"
// of 7 alone. Requires: whole numbers of shape (n) or (n, 2).
ArrayPtr xenium_cell_names(ArrayPtr cell_id);

}  // namespace plainfs::tenx
