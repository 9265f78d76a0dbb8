// A TIFF of planes of pixels without compression, of which everything follows from the shapes: header, texts,
// the directories of all planes, then all pixels. So who opens it reads its beginning alone, and a tile is
// found by arithmetic. Little-endian; TIFF 6.0, or BigTIFF with numbers of 64 bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"

namespace plainfs {

// How pixels of a type are written. name: OME's.
struct PixelType {
  const char* name;
  uint16_t sample_format;  // 1 unsigned, 2 signed, 3 real
  ElementForm form;
};
// nullopt where OME has no such pixels: integers of 64 bits, complex numbers, what is no number. A truth
// value is 0 or 1, a real of 16 bits one of 32.
std::optional<PixelType> pixel_type(const DType& type);

struct TiffLevel {
  ArrayPtr values;  // its last axes are y and x; not column-major
  // Of a tile, multiples of 16; in strips: the rows of a strip.
  uint64_t tile_width = 0;
  uint64_t tile_height = 0;
};

struct TiffPlan {
  bool is_big = false;  // BigTIFF in tiles; else TIFF 6.0 in strips, of the largest level alone
  PixelType type;
  std::vector<TiffLevel> levels;  // the largest first, alike in all axes but y and x
  std::vector<size_t>
      plane_axes;  // the axes before y and x, the one along which planes follow one another first
  std::string description, software;
  // Of a pixel along x and y, in millionths of the unit that the description names; none where one is 0.
  std::array<uint32_t, 2> pixel_millionths{};
};

// Throws unsupported where the numbers of the form have no room for it. Reads nothing.
ByteLayout tiff_layout(TiffPlan plan);

}  // namespace plainfs
