// Sums of a matrix of counts over groups of cells: pseudobulks.
#pragma once

#include <memory>
#include <string>

#include "formats/annotated/cell_groups.h"
#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs {

struct ChosenCounts {
  std::string name;  // "layers/counts"
  Content matrix;    // SparseMatrix with its lists, or LabelledArray as it is meant; cells by genes
  Table var;         // of its genes
};

// layers/counts, raw/X, X: the first that looks like counts (seurat_parts.h), else X. Of an experiment the
// assay called counts stands for the first. Reads the first values of these. Throws unsupported where there
// is no matrix, damaged where it has other sides, and what it holds as its error.
ChosenCounts choose_counts(const AnnotatedMatrix& matrix);

// Genes by groups. Whole numbers and truth values add up in 64 bits, of which a read throws unsupported where
// they do not fit; reals as doubles, cell after cell, gene by gene. A missing value makes its sum a missing
// one. A pass over the matrix gives as many genes as a part of the cache holds. Requires: counts is
// of choose_counts; groups are of as many cells. Throws unsupported where there are no numbers.
ArrayPtr group_sums(const ChosenCounts& counts, std::shared_ptr<const CellGroups> groups, Context& context);

}  // namespace plainfs
