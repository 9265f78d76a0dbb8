// A count matrix in a 10x Genomics .h5: layout 2 (Cell Ranger 3 and later: a group with `features`) or 1 (a
// group for each genome, with `genes` and `gene_names`). Facts and their sources: FORMAT.md.
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

// A function that is called with each peculiarity of a store.
using Notice = std::function<void(const std::string&)>;

// Returns the matrix in a group, recognised by the names and kinds of its members; nullopt if one is missing.
// Reads `shape`, two numbers, and no other data. A shape that cannot be read is the matrix's error. Names
// that differ in number from the ids are not used.
std::optional<CountMatrix> matrix_in(const Group& group, const Notice& notice = {});

}  // namespace plainfs::tenx
