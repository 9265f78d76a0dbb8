// The parts of an experiment and of a loom file that AnnData keeps under other names: pairs, ranges,
// attributes of reduced dimensions, metadata, graphs.
#pragma once

#include <string>
#include <vector>

#include "formats/annotated/left_out.h"
#include "formats/annotated/uns_tree.h"
#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs::annotated {

// Returns the name in obsm of a reduced dimension: those that readers of AnnData look for under theirs.
std::string obsm_name(const std::string& reduced);

// Adds the pairs of cells to obsp and those of genes to varp. A pair has the value of the only numeric column
// of its metadata, else 1; pairs with several are left out.
void add_pairs(const GroupPtr& root, AnnotatedMatrix& generated, Origins& origins, Context& context);
// Adds the columns of ranges to var, from 1 as R counts, under the names of R's data frames.
void add_ranges(const GroupPtr& root, AnnotatedMatrix& generated, Origins& origins, Context& context);
// Adds the columns of a table of R that are matrices to parts, if they hold numbers.
void add_matrix_columns(const GroupPtr& root, const char* table, uint64_t rows, const char* room,
                        std::vector<AnnotatedPart>& parts, Origins& origins, Context& context);
// Adds the attributes of R's reduced dimension `name`. genes: the names of all genes, or null.
void add_reduced_attributes(const GroupPtr& root, const std::string& name, const ArrayPtr& genes,
                            AnnotatedMatrix& generated, UnsTree& uns, Origins& origins, Context& context);
// Adds the metadata of an experiment.
void add_metadata(const GroupPtr& root, UnsTree& uns, Origins& origins, Context& context);

// Adds the graphs, the attributes of the file and the attributes of several axes of a loom file.
void add_loom_parts(const GroupPtr& root, AnnotatedMatrix& generated, Origins& origins, Context& context);

}  // namespace plainfs::annotated
