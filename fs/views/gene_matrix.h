// Which nodes are matrices of genes by cells, with names for both.
#pragma once

#include <optional>

#include "formats/core/model/node.h"

namespace plainfs {

struct GeneMatrix {
  ArrayPtr genes;  // their names
  ArrayPtr cells;
  ArrayPtr ids;                  // of the genes; null = none
  std::optional<size_t> axis{};  // of a dense matrix: along which the genes lie, of the axes as stored
};

// Of a node that is a matrix with names on both sides, or may be one: whether names fit may not be known for
// now. Its files are there all the same, and reading them says why. Of two lists that are the same one
// (a graph of cells) there are no genes. Reads nothing.
std::optional<GeneMatrix> gene_matrix(const Node& node);

}  // namespace plainfs
