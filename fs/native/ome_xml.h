// The metadata of an image as OME-XML (schema 2016-06), as an OME-TIFF begins with.
#pragma once

#include <string>
#include <string_view>

#include "fs/native/tiff.h"

namespace plainfs {

// creator: of the file, "plainfs 1.0.0". Requires: the image has a level.
std::string ome_xml(const Image& image, const PixelType& type, std::string_view creator);

// How long the largest level is along an axis; 1 where there is none of that name.
uint64_t length_along(const Image& image, char axis);

}  // namespace plainfs
