// A summary of a store for people: one line for each matrix, table, fragment list and array, with its
// dimensions.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs {

// A description: "sparse matrix", "80 × 200, 1234 values (integer), by column". Both are empty for a group
// and for content that is not data of the store.
struct Described {
  std::string kind;
  std::string what;
};
// The form of counts: "60000" or "60,000".
enum class Digits { plain, grouped };
// Describes a node. Reads metadata only. If that fails, `what` is the error.
Described describe(const Node& node, Digits digits = Digits::grouped);

// Returns "assays/RNA/counts  sparse matrix  80 × 200, 1234 values (integer), by column", one line each, at
// most most_lines, and a last line if there are more. Reads metadata only. A node that cannot be read has
// the error in its line. path: the group or member to summarize, "" for all; for a table, its columns are
// listed as well. Throws not_found if path does not exist.
std::string summary_of(const Store& store, Context& context, const std::string& path, size_t most_lines);

}  // namespace plainfs
