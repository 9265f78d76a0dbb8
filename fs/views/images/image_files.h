// Images in the formats that microscopy programs and browsers open.
#pragma once

#include <string_view>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// Returns whether OME-TIFF supports the pixels and the size. A damaged image has a file too, which reports
// the error.
bool has_ome_tiff(const Image& image);
// Returns all levels as a tiled BigTIFF: one directory per plane (z, then c, then t), with levels as its
// subdirectories. software: the name of the writing program. Requires: has_ome_tiff(). Throws the image's
// error. Reads nothing.
ByteLayout ome_tiff(const Image& image, std::string_view software);
// Returns the largest level for programs that support neither BigTIFF nor tiles: TIFF 6.0 in strips, one
// directory per plane in ImageJ's order (c, then z, then t), with a description that ImageJ opens as a
// hyperstack. Otherwise like ome_tiff(). Throws unsupported if it would have 4 GiB or more.
ByteLayout imagej_tiff(const Image& image, std::string_view software);

// Beside an image; with the name image in the root of a store that is an image.
void offer_ome_tif(const FileRow& row, const Node& node, Context& context, Files& files);
// Beside an image or an array of rank 2 or 3: its largest level in strips.
void offer_tif(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_preview_png(const FileRow& row, const Node& node, Context& context, Files& files);
// Beside an array of rank 2 or 3.
void offer_png_of_array(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
