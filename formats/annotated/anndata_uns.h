// Unstructured data of an AnnData.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

struct UnsOfAnnData {
  std::vector<Member> members;  // with their meaning
  std::vector<Member> stored;   // as the container returns them
};

// Returns the unstructured data of an AnnData. Graphs of files up to 0.6, which are in obsp, and the levels
// of their factors are not repeated. Reads nothing.
UnsOfAnnData anndata_uns(const GroupPtr& anndata, const AnnotatedMatrix& generated, Context& context);

// Returns a member of an AnnData's group as its container returns it.
std::optional<Node> stored_member(const Group& group, std::string_view name);

}  // namespace plainfs::annotated
