// The genes of several matrices as one list.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

// The table of the genes of one store. Both outlive the call.
struct GenesToJoin {
  const std::string& label;  // of the store, for messages
  const Table& var;
};

struct JoinedGenes {
  Table var;
  // For each store: the row of each joined gene in its table, or kNoIndex. Null: exactly these genes in this
  // order.
  std::vector<Indices> rows;
};

// Joins genes by id if every table has ids, otherwise by name. Inner: those that all stores have, in the
// order of the first; outer: all, in the order of first appearance. Of the columns an inner join keeps those
// in which all stores agree about these genes; an outer one has the value of the first store with the gene,
// and logs columns in which others differ. Throws unsupported if a name is repeated and the lists differ.
// place: "var".
JoinedGenes joined_genes(const std::vector<GenesToJoin>& stores, bool is_outer, const std::string& place,
                         Context& context);

}  // namespace plainfs::annotated
