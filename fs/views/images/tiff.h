// An uncompressed TIFF of planes of pixels, with a layout that follows from the shapes: header, texts, the
// directories of all planes, then all pixels. Opening it reads only its beginning, and tile offsets are
// computable. Little-endian; TIFF 6.0, or BigTIFF with numbers of 64 bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/layout/element_form.h"

namespace plainfs {

// The representation of pixels of a type. name: OME's.
struct PixelType {
  const char* name;
  uint16_t sample_format;  // 1 unsigned, 2 signed, 3 real
  ElementForm form;
};
// Returns the pixel type; nullopt if OME has none: integers of 64 bits, complex numbers, other types than
// numbers. A boolean is 0 or 1, a real of 16 bits becomes one of 32.
std::optional<PixelType> pixel_type(const DType& type);

struct TiffLevel {
  ArrayPtr values;  // its last axes are y and x; not column-major
  // The size of a tile, a multiple of 16; in strips: the rows per strip.
  uint64_t tile_width = 0;
  uint64_t tile_height = 0;
};

struct TiffPlan {
  bool is_big = false;  // BigTIFF in tiles; otherwise TIFF 6.0 in strips, of the largest level only
  PixelType type;
  std::vector<TiffLevel> levels;  // the largest first, with the same extents in all axes but y and x
  std::vector<size_t>
      plane_axes;  // the axes before y and x; first the axis along which consecutive planes lie
  std::string description, software;
  // The size of a pixel along x and y, in millionths of the description's unit; unknown if one is 0.
  std::array<uint32_t, 2> pixel_millionths{};
};

// Returns the layout. Throws unsupported if the number sizes of the form are too small. Reads nothing.
ByteLayout tiff_layout(TiffPlan plan);

}  // namespace plainfs
