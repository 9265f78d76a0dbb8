// A picture of an array of two axes: each value as bright as it is great. And of images, and of how many
// fragments each chromosome has.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/node.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

// Of numbers of rank 2, more than one row and column; of a large one every k-th value of its beginning.
// nullopt of all else.
std::optional<Figure> heat_map(const LabelledArray& array);

// How many fragments stand on each chromosome, of the first ones.
std::optional<Figure> chromosome_bars(const Fragments& fragments);

// Pixels of one byte each, line by line, as a PNG in shades of grey.
std::string grey_png(uint32_t width, uint32_t height, const std::string& pixels);

}  // namespace plainfs::serve
