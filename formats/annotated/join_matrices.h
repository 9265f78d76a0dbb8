// Matrices of cells by something else, with the cells of several stores one after another.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

// The contribution of one store to a joined matrix.
struct MatrixPart {
  std::string label;  // of the store, for messages
  uint64_t cells = 0;
  const Content* content = nullptr;  // cells in rows; null: the store lacks the matrix
  Indices columns{};  // its column for each of the joined ones, or kNoIndex; null: they are the same
};

// Returns the matrix with the cells of all parts one after another. Numbers have NumPy's common type. It is
// dense if all parts are: what a store lacks is NaN then, for which integers become reals. Otherwise it is
// sparse, with one list of entries for each cell, and what a store lacks is no entry. A part that does not
// fit, or is no matrix of numbers, makes it an Error. Reads nothing. columns: of the joined matrix. place:
// "X". Requires: at least one part has content.
Content joined_matrices(const std::vector<MatrixPart>& parts, uint64_t columns, const std::string& place,
                        Context& context);

// Returns the graphs of several stores as one, without edges between stores or in a store that lacks the
// graph. Requires: each part that has content is a SparseMatrix with as many rows as columns, and there is
// one.
Content joined_graphs(const std::vector<MatrixPart>& parts, const std::string& place, Context& context);

}  // namespace plainfs::annotated
