// Files of anndata 0.5 and 0.6. obs and var are compounds, labels are in uns, and raw's parts are beside X
// under names with a dot. They are shown at the paths of the current layout.
#pragma once

#include <optional>

#include "formats/schemas/anndata/sides.h"

namespace plainfs::anndata {

// Returns whether node is a compound array with `index` as its first field: obs or var of such a file.
bool is_legacy_frame(const Node& node);

// Returns the row names and gene ids of such a frame. Requires: is_legacy_frame(node).
SideNames legacy_names(const Node& node);

// Returns the frame for its .csv: the index as row names, and the columns. A column of codes shows labels,
// from the member COLUMN_categories of the group labels (null = none), if every code has one; otherwise the
// codes. Requires: is_legacy_frame(node).
LabelledArray legacy_frame(const Node& node, const GroupPtr& labels, Context& context);

// Returns a legacy_frame() as a table; nullopt for any other array. Reads all codes that have labels.
std::optional<Table> legacy_table(const LabelledArray& frame);

// Returns whether root holds obs and var as legacy frames.
bool is_legacy_root(const Group& root);

// Returns root with the current layout: raw.X, raw.var, raw.varm and raw.cat are in a group raw, and obsm and
// varm that are one compound are groups of its fields.
GroupPtr with_todays_layout(GroupPtr root);

}  // namespace plainfs::anndata
