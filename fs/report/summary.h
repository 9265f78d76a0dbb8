// What a store holds, for a person: a line for each matrix, table, fragment list and array, with its
// dimensions.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs {

// "sparse matrix", "80 × 200, 1234 values (integer), by column". Both empty of a group, and of what is no
// data of the store's own.
struct Described {
  std::string kind;
  std::string what;
};
// Reads metadata only. What cannot be read has why as what.
Described describe(const Node& node);

// "assays/RNA/counts  sparse matrix  80 × 200, 1234 values (integer), by column", one line each, at most
// most_lines of them and then how many more there are. Reads metadata only; what cannot be read is a line
// that says why.
// path: of the group or member that is told of, "" for all; of a table its columns are told too. Throws
// not_found where there is none.
std::string summary_of(const Store& store, Context& context, const std::string& path, size_t most_lines);

}  // namespace plainfs
