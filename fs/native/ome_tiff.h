// Images as the files that programs of microscopy open.
#pragma once

#include <string_view>

#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// Whether OME-TIFF has pixels like these, and room for them. One that is damaged has a file, to say so.
bool has_ome_tiff(const Image& image);

// All levels as a tiled BigTIFF, a directory a plane (z, then c, then t), a level a subdirectory of it.
// software: who writes it. Requires: has_ome_tiff(). Throws the image's error. Reads nothing.
ByteLayout ome_tiff(const Image& image, std::string_view software);

// The largest level for programs that read neither BigTIFF nor tiles: TIFF 6.0 in strips, a directory a plane
// in ImageJ's order (c, then z, then t) and with its description, which opens as a hyperstack there. As
// above; throws unsupported where it would have 4 GiB or more.
ByteLayout imagej_tiff(const Image& image, std::string_view software);

}  // namespace plainfs
