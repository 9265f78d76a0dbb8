// Files of anndata 0.5 and 0.6: obs and var are compounds, labels stand in uns, raw's parts beside X under
// names with a dot. They are shown at the paths of today.
#pragma once

#include <optional>

#include "formats/schemas/anndata/sides.h"

namespace plainfs::anndata {

// Whether node is a compound array whose first field is `index`: obs or var of such a file.
bool is_legacy_frame(const Node& node);

// Its row names and gene ids. Requires: is_legacy_frame(node).
SideNames legacy_names(const Node& node);

// Its .csv: the index as row names, and in the columns of codes their labels, from the member
// COLUMN_categories of the group of labels (null = none), where every code has one; else the codes.
// Requires: is_legacy_frame(node).
LabelledArray legacy_frame(const Node& node, const GroupPtr& labels, Context& context);

// The same as a table; nullopt of what is no such frame. Reads all codes that have labels.
std::optional<Table> legacy_table(const LabelledArray& frame);

// Whether root holds obs and var as legacy frames.
bool is_legacy_root(const Group& root);

// root with today's layout: raw.X, raw.var, raw.varm and raw.cat in a group raw, and obsm and varm that are
// one compound as groups of its fields.
GroupPtr with_todays_layout(GroupPtr root);

}  // namespace plainfs::anndata
