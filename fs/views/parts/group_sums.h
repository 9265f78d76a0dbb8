// Sums of a matrix of counts over groups of cells: pseudobulks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/annotated/cell_groups.h"
#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs {

struct ChosenCounts {
  std::string name;  // "layers/counts"
  Content matrix;    // SparseMatrix with its lists, or LabelledArray as labelled; cells by genes
  Table var;         // the table of its genes
};

// Returns the first of layers/counts, raw/X and X that looks like counts (seurat_parts.h), otherwise raw/X or
// without it X. For an experiment, the assay called counts takes the place of the first. Reads the first
// values of these.
// Throws unsupported if there is no matrix, damaged if its extents do not fit, and the matrix's own error.
ChosenCounts choose_counts(const AnnotatedMatrix& matrix);

// Returns the notice that the first values of the matrix are no counts; nullopt if they are. Reads them.
std::optional<std::string> notice_of_sums(const ChosenCounts& chosen);

// Returns the sums, genes by groups. Integers and booleans are added in 64 bits; a read throws unsupported if
// a sum overflows. Reals are added as doubles, cell after cell, for each gene. A missing value makes its sum
// missing. One pass over the matrix computes as many genes as fit a part of the cache. Requires: `counts` is
// from choose_counts(); `groups` has the same number of cells. Throws unsupported if the values are not
// numbers.
ArrayPtr group_sums(const ChosenCounts& counts, std::shared_ptr<const CellGroups> groups, Context& context);

}  // namespace plainfs
