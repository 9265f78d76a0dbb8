// genes/ and cells/ of a matrix (fs/VIEWS.md, section 12): a file a gene, a file a cell, several at once.
#pragma once

#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/views/view.h"

namespace plainfs {

// parts: genes/ and cells/ in the directory of every matrix of genes by cells; found by name.
void offer_matrix_parts(const Node& node, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
