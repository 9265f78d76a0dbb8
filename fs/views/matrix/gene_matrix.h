// Recognition of matrices of genes by cells that have names for both.
#pragma once

#include <optional>

#include "formats/core/model/node.h"

namespace plainfs {

struct GeneMatrix {
  ArrayPtr genes;  // the names of the genes
  ArrayPtr cells;
  ArrayPtr ids;                  // of the genes; null if missing
  std::optional<size_t> axis{};  // the stored axis of the genes, for a dense matrix
};

// Returns the matrix if `node` is one with names on both sides, or may be one because the names cannot be
// checked for now. Its files are then listed, and reading them reports the error. Returns nullopt if both
// lists are the same one (a graph of cells has no genes), and if it is known to hold no numbers. Reads
// nothing.
std::optional<GeneMatrix> gene_matrix(const Node& node);

// Returns whether the values of a matrix are numbers, as far as that is known without reading: false for
// complex numbers and texts, and for a matrix of a kind that is not supported. Such a sparse matrix has
// matrix.mtx, which holds complex numbers or reports the reason, and no file for other programs.
bool may_hold_numbers(const Node& node);

}  // namespace plainfs
