// A count matrix in a 10x Genomics .h5: layout 2 (Cell Ranger 3 and later: a group with `features`) or 1 (a
// group a genome, with `genes` and `gene_names`). Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::tenx {

struct CountMatrix {
  int layout = 2;
  SparseMatrix matrix;  // features by barcodes; character references in their ids and names are decoded
  GroupPtr features;    // of layout 2
};

// Told of what is odd.
using Notice = std::function<void(const std::string&)>;

// The matrix that a group holds, by the names and kinds of its members; nullopt where it lacks one. Reads
// `shape`, two numbers, and no other data: one that cannot be read is the matrix's error. Names of another
// length than the ids are not used.
std::optional<CountMatrix> matrix_in(const Group& group, const Notice& notice = {});

}  // namespace plainfs::tenx
