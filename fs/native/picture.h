// Pixels as a picture for people: planes of an array, each in a colour of its own, added up, as a PNG.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

using Color = std::array<uint8_t, 3>;

// A plane, and how its values are shown: black up to window.first, in full colour from window.second on.
// Without a window: from the least to the greatest value of 8 bits, of others from the 0.1 to the 99.9
// percentile of those that are finite, of every k-th pixel where there are over 2^20.
struct PictureLayer {
  Shape origin;  // of the plane's first pixel
  Color color{255, 255, 255};
  std::optional<std::pair<double, double>> window{};
};

struct Picture {
  ArrayPtr values;
  size_t y_axis = 0,
         x_axis = 1;  // of values, in this order; the planes have one element along each other axis
  std::vector<PictureLayer> layers;
  bool is_labels = false;  // of one layer: each value has a colour of a table, 0 is black

  uint64_t width() const { return values->shape()[x_axis]; }
  uint64_t height() const { return values->shape()[y_axis]; }
};

// Of a larger one the bytes are not held.
inline constexpr uint64_t kMostPicturePixels = uint64_t{1} << 24;

// Whether such values have a brightness: numbers and truth values.
bool has_brightness(const DType& type);

// What is shown of an image at a glance: the smallest level whose longer side is at least 512 pixels, else
// the largest; t = 0, the middle z; of the channels the first seven that are active. nullopt where that is
// larger than a picture may be, and where the image has an error.
std::optional<Picture> preview_of(const Image& image);

// What is shown of an image, where that is not what is shown at a glance.
struct ImageChoice {
  struct Region {
    uint64_t x, y, width, height;  // in pixels of the largest level
  };
  std::vector<uint64_t> channels{};                   // empty: the first seven that are active
  std::optional<uint64_t> z{}, t{};                   // null: the middle z, the first t
  std::optional<std::pair<double, double>> window{};  // of all channels
  std::optional<Region> region{};                     // null: all of it
  uint64_t least_side = 512;                          // of the level that is chosen, if one is as large
};

// Returns the picture of that; nullopt as preview_of(). Requires: the channels, z and t are there, and the
// region lies inside and is not empty.
std::optional<Picture> chosen_picture(const Image& image, const ImageChoice& choice);

// RGB of 8 bits, uncompressed, so that its size follows from width and height. The picture is made when what
// is beyond the header is read, and kept in the cache. Requires: has_brightness(); at most
// kMostPicturePixels, and some.
ByteLayout png(Picture picture, Context& context);

// The parts of a PNG file (ISO/IEC 15948) around its pixels.
enum class PngColor : char { grey = 0, rgb = 2 };  // 8 bits a sample
std::string png_number(uint32_t value);
std::string png_chunk(const std::string& name, const std::string& data);
// The signature and the chunk that says what the pixels are; chunks of IDAT and an empty IEND follow.
std::string png_head(uint32_t width, uint32_t height, PngColor color);

}  // namespace plainfs
