// Images as the files that other programs open.
#pragma once

#include "fs/views/view.h"

namespace plainfs {

// NAME.ome.tif beside an image; image.ome.tif in the root of a store that is one.
void offer_ome(const Node& node, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
