// A slide of tissue: a picture, and where cells lie on it. What Seurat's class VisiumV1 holds.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

struct Slide {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::string name;   // "slice1"
  std::string assay;  // empty = not known, and so is the key
  std::string key;
  std::vector<uint64_t> cells;      // the cells that lie on it, by their places among those of the store
  std::vector<Column> coordinates;  // a value for each of these; numbers imagerow and imagecol are among them
  // Rows, columns, and three or four colours, in C order: reals from 0 to 1, or integers that are full at the
  // greatest number of their type. Null = no picture.
  ArrayPtr pixels{};
  // Diameters of a spot and of the frame's dots, in the unit of the coordinates.
  double spot = kUnknown;
  double fiducial = kUnknown;
  // Pixels of a picture for one unit of the coordinates. The pixels are those of lowres.
  double hires = kUnknown;
  double lowres = kUnknown;
  std::optional<double> spot_radius{};  // in widths of the picture, as Seurat 4 draws it
};

}  // namespace plainfs
