// Pixels as a picture inside of a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

// Returns pixels of one byte each, line by line, as a PNG in shades of grey. Requires: width * height of
// them.
std::string grey_png(uint32_t width, uint32_t height, const std::string& pixels);

// Returns an <img> of values, line by line, each as bright as its place in range; what is not finite is
// black. Requires: width * height values.
std::string grey_picture(uint32_t width, uint32_t height, const std::vector<double>& values,
                         const Interval& range, const std::string& words);

// Returns the key of such a picture: its ends in words around a bar from black to white.
std::string grey_key(const std::string& low, const std::string& high);

// Returns bytes as base64 (RFC 4648) with its padding.
std::string base64(std::string_view bytes);

}  // namespace plainfs::serve
