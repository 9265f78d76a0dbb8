// The Zarr stores of a Xenium run, recognised by their members: the counts of a cell_feature_matrix.zarr.zip,
// the properties of each cell in a cells.zarr.zip, and the molecules of a transcripts.zarr.zip. Facts and
// their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/schemas/tenx/matrix.h"

namespace plainfs::tenx {

// A group of counts: features by cells, with the table of its features.
struct XeniumMatrix {
  SparseMatrix matrix;
  Table features;  // id, name, feature_type, if present
};
// Returns the matrix in a group; nullopt for any other group. Reads attributes and no data. Names that differ
// in number from the features or cells are not used.
std::optional<XeniumMatrix> xenium_matrix_in(const Group& group, const Notice& notice = {});

// Returns the group of a cells.zarr.zip with names for each column and each cell of the array cell_summary;
// null for any other group.
GroupPtr xenium_cells(const GroupPtr& group);

// Returns the molecules of a square of a transcripts.zarr.zip as a table, with the column names of Xenium's
// transcripts.csv: x_location, y_location, z_location, feature_name, qv. Nullopt for any other group.
// Reads attributes and no data.
std::optional<Table> xenium_transcripts_in(const Group& square, Context& context);
// Returns whether the root is that of a transcripts.zarr.zip.
bool are_xenium_transcripts(const Group& root);

// Returns the names of the cells with these ids, as in Xenium's tables: "aaaaaaab-1" for 1 and 1, "7" for 7
// alone. Requires: integers of shape (n) or (n, 2).
ArrayPtr xenium_cell_names(ArrayPtr cell_id);

}  // namespace plainfs::tenx
