// Pictures in PNG files (ISO/IEC 15948) as arrays. All types of colours and depths are read,
// interlaced or not. The array has 8 bits whatever the file has, and the colours of a palette in its place.
#pragma once

#include <optional>
#include <string>

#include "formats/core/base/file.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// Returns the pixels of a PNG file: rows, columns, and red, green, blue from 0 to 255, followed by opacity if
// the file has one. Reads only the chunks before the first IDAT; the rest is decoded when pixels are read,
// and kept in the cache. Throws damaged if these chunks are wrong, and unsupported if the picture
// takes over 256 MiB as a file, as rows or as pixels.
ArrayPtr png_pixels(FilePtr file, Context& context);

// Returns the node of the picture in the file at a location: its pixels, or the error that makes it
// unreadable. Nullopt unless the file begins as a PNG.
std::optional<Node> png_node(const std::string& location, Context& context);

}  // namespace plainfs
