// Images as the files that other programs open.
#pragma once

#include "fs/views/view.h"

namespace plainfs {

// NAME.ome.tif beside an image; image.ome.tif in the root of a store that is one.
void offer_ome(const Node& node, Context& context, std::vector<OfferedFile>& files);

// NAME.tif beside an image and an array of rank 2 or 3, found by its name: its largest level in strips.
void offer_tif(const Node& node, Context& context, std::vector<OfferedFile>& files);

// preview.png in the directory of an image; NAME.png beside an array of rank 2 or 3, found by its name.
void offer_png(const Node& node, Context& context, std::vector<OfferedFile>& files);

}  // namespace plainfs
