// Pixels as a picture embedded in a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

// Returns pixels of one byte each, line by line, as a greyscale PNG. Requires: width * height pixels.
std::string grey_png(uint32_t width, uint32_t height, const std::string& pixels);

// Returns pixels of three bytes each, red, green and blue, line by line, as a PNG. Requires: 3 * width *
// height bytes.
std::string rgb_png(uint32_t width, uint32_t height, const std::string& pixels);

// Returns pixels that are numbers of colours in `palette`, of three bytes each, as a PNG. Colour 0 is
// transparent. Requires: width * height pixels; at most 256 colours.
std::string palette_png(uint32_t width, uint32_t height, const std::string& pixels,
                        const std::string& palette);

// Returns pixels of three bytes each as the means of squares of step by step of them, rounded. Requires: 3 *
// width * height bytes, step > 0.
std::string reduced_rgb(const std::string& pixels, uint64_t width, uint64_t height, uint64_t step);

// Returns the attributes of an <img> with which it fills a box of that size without changing its shape.
// Requires: neither side of the picture is 0.
std::string size_attributes(uint64_t width, uint64_t height, double box_width, double box_height);

// Returns an <img> of values, line by line, with the brightness of each given by its place in `range`. Values
// that are not finite are black. Requires: width * height values.
std::string grey_picture(uint32_t width, uint32_t height, const std::vector<double>& values,
                         const Interval& range, const std::string& text);

// Returns the key of such a picture: the texts of its ends around a bar from black to white.
std::string grey_key(const std::string& low, const std::string& high);

}  // namespace plainfs::serve
