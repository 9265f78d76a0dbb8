// The parts of a Seurat object that AnnData keeps under other names: identities, variable features, loadings,
// standard deviations, and lists of any content.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "formats/annotated/left_out.h"
#include "formats/annotated/uns_tree.h"
#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs::annotated {

// The column of obs with the identities of the cells, and the column that Seurat itself calls them after.
inline constexpr const char kIdentities[] = "ident", kActiveIdentities[] = "active.ident";
inline constexpr const char kOriginal[] = "orig.ident";
// The columns of var with the variable features.
inline constexpr const char kVariable[] = "highly_variable", kVariableRank[] = "highly_variable_rank";

// Returns whether both arrays are the same factor: the same labels, and the same levels in the same order.
// Reads both.
bool are_same_factors(const Array& a, const Array& b);

// Adds the identities to obs, unless they equal the original ones or a column that has them. Reads them.
void add_identities(const ArrayPtr& identities, Table& obs, Origins& origins);

// Adds the variable features to var, with their rank. names: of the variable features, in their order.
// origin: the place of the names in the store. Reads both.
void add_variable_features(const ArrayPtr& names, const ArrayPtr& features, const std::string& origin,
                           Table& var, Origins& origins);

// Returns the variable features that Seurat 5 names in a column of the feature metadata, sorted by rank; null
// if it names none. Reads both columns.
ArrayPtr variable_features(const Table& meta);

// Returns loadings of some features as loadings of all: 0 for the others. Null if a feature is not among all,
// or one occurs twice. Reads the names; the loadings are read on use.
ArrayPtr padded_loadings(const ArrayPtr& loadings, const ArrayPtr& own, const ArrayPtr& features);

// Returns the name of the loadings of a reduction in varm.
std::string loadings_name(const std::string& reduction);

// Adds what a reduction has beside its matrices. reduction: its directory.
void add_reduction_uns(const std::string& name, const GroupPtr& reduction, UnsTree& uns, Origins& origins,
                       Context& context);
// Adds misc, tools, commands and neighbors of an object, and misc of an assay. root, assay: their
// directories; null = nothing of it. placed: the members of misc of the object that have another place, which
// are left out.
void add_lists(const GroupPtr& root, const GroupPtr& assay, const std::set<UnsTree::Path>& placed,
               UnsTree& uns, Origins& origins, Context& context);
// Returns the name that `misc` has for the graph of the neighbours; scanpy's own if it has none.
std::string key_of_neighbors(const GroupPtr& root, Context& context);
// Adds how the graph `connectivities` was found. root: the object's directory.
void add_neighbors(const GroupPtr& root, const std::string& assay, UnsTree& uns, Context& context);

}  // namespace plainfs::annotated
