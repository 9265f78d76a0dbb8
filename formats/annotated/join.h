// Several annotated matrices as one, with the cells of all of them one after another, as anndata's concat()
// makes it (formats/joined/FORMAT.md). Nothing is copied: each array reads from the arrays of the stores on
// demand.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs {

struct MatrixToJoin {
  std::string label;  // differs from that of every other matrix
  AnnotatedMatrix matrix;
};

struct JoinRule {
  bool is_outer = false;  // the union of genes, columns and layers; otherwise those that all matrices have
  std::string column{};   // of obs, with the label of each cell's matrix; empty = none
};

// Returns the joined matrix. The names of its cells are NAME-LABEL. Genes are matched by id if every matrix
// has ids (var/gene_ids), otherwise by name. Reads the names of the genes, the columns of var and the levels
// of factors. Logs what is left out or differs. Throws unsupported if the genes cannot be matched because one
// of their names is repeated, or some matrices have no X. Requires: at least one matrix.
AnnotatedMatrix joined_matrix(std::vector<MatrixToJoin> matrices, const JoinRule& rule, Context& context);

}  // namespace plainfs
