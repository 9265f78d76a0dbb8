// Pixels as a picture for viewing: planes of an array, each in its own colour, added up, as a PNG.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"

namespace plainfs {

using Color = std::array<uint8_t, 3>;

// A plane and the range of its values: black up to window.first, full colour from window.second on. The
// default window is the minimum to the maximum for values of 8 bits. For other values it is the 0.1 to the
// 99.9 percentile of the finite ones, from every k-th pixel if there are over 2^20.
struct PictureLayer {
  Shape origin;  // of the plane's first pixel
  Color color{255, 255, 255};
  std::optional<std::pair<double, double>> window{};
};

struct Picture {
  ArrayPtr values;
  size_t y_axis = 0,
         x_axis = 1;  // axes of values, in this order; the planes have one element along each other axis
  std::vector<PictureLayer> layers;
  bool is_labels = false;  // of a single layer: each value has a colour from a table, 0 is black
  uint64_t step = 1;       // values has every step-th pixel of a level along y and x

  uint64_t width() const { return values->shape()[x_axis]; }
  uint64_t height() const { return values->shape()[y_axis]; }
};

// The largest picture that is held in memory.
inline constexpr uint64_t kMaxPicturePixels = uint64_t{1} << 24;
// The largest level, or part of it, of which every k-th pixel is shown if no smaller level fits.
inline constexpr uint64_t kMaxSkippedPixels = uint64_t{1} << 27;
// A window of percentiles takes about this many pixels of a larger picture.
inline constexpr uint64_t kMaxSampledPixels = uint64_t{1} << 20;

// Returns whether values of the type have a brightness: numbers and booleans.
bool has_brightness(const DType& type);

// Returns the default picture of an image: the smallest level with its longer side at least 512 pixels,
// otherwise the largest level; t = 0, the middle z; the first seven active channels. If all levels are larger
// than a picture may be, it has every k-th pixel of the smallest, up to kMaxSkippedPixels. Returns nullopt if
// that is larger, or stored in chunks that are too large to be decoded for it, or if the image has an error.
std::optional<Picture> preview_of(const Image& image);

// A user's choice of what to show of an image.
struct ImageChoice {
  struct Region {
    uint64_t x, y, width, height;  // in pixels of the largest level
  };
  std::vector<uint64_t> channels{};                         // empty: the first seven active ones
  std::optional<uint64_t> z{}, t{};                         // null: the middle z, the first t
  std::optional<std::pair<double, double>> window{};        // for all channels
  std::map<uint64_t, std::pair<double, double>> windows{};  // for single channels, in place of `window`
  std::optional<Region> region{};                           // null: the whole image
  uint64_t least_side = 512;                                // of the level to choose, if one is as large
  uint64_t max_pixels = kMaxPicturePixels;                  // of the picture
};

// Returns the chosen picture; nullopt like preview_of(). Requires: the channels, z and t exist, and the
// region lies inside and is not empty.
std::optional<Picture> chosen_picture(const Image& image, const ImageChoice& choice);

// Returns a PNG with RGB of 8 bits, uncompressed, so that its size follows from width and height. The picture
// is generated when data beyond the header are read, and kept in the cache. Requires: has_brightness(); at
// least 1 and at most kMaxPicturePixels pixels.
ByteLayout png(Picture picture, Context& context);

// Returns the pixels line by line, three bytes each: red, green and blue. Requires: like png().
std::string picture_pixels(const Picture& picture);

// Returns labels as numbers, missing ones as 0. Throws unsupported for other elements than integers.
std::vector<uint64_t> label_numbers(const DType& type, const Elements& labels);

// Returns the picture with a window for each layer, so that its parts have the contrast of the whole. Reads
// the layers without one. Requires: like png().
Picture with_windows(Picture picture);
// Returns `count` lines of a picture, from line `first`, as a picture. Requires: they exist; the layers have
// windows.
Picture picture_lines(const Picture& picture, uint64_t first, uint64_t count);

// The parts of a PNG file (ISO/IEC 15948) around its pixels.
enum class PngColor : char { grey = 0, rgb = 2, palette = 3 };  // 8 bits per sample
std::string png_number(uint32_t value);
std::string png_chunk(const std::string& name, const std::string& data);
// Returns the signature and the header chunk. IDAT chunks and an empty IEND follow.
std::string png_head(uint32_t width, uint32_t height, PngColor color);

}  // namespace plainfs
