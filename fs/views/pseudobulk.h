// pseudobulk/ beside every anndata.h5ad (fs/VIEWS.md, section 12): the counts of the cells of each level of a
// column of obs, or of several columns, added up.
#pragma once

#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/views/view.h"

namespace plainfs {

// parts: of what has an annotated matrix whose cells have columns; found by name.
void offer_pseudobulk(const Node& node, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
