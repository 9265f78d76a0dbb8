// by/COLUMN/LEVEL/: the cells of one level of a column of obs as an annotated matrix of their own
// (fs/VIEWS.md, section 12).
#pragma once

#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/views/view.h"

namespace plainfs {

// Of what has an annotated matrix whose cells have columns, and with -o cells= of fragments; found by name.
// Its listing reads the columns of texts, that of a column all of it.
void offer_by(const Node& node, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
