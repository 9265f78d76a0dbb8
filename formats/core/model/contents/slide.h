// A slide of tissue: a picture and the positions of cells on it. The content of Seurat's class VisiumV1.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

struct Slide {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::string name;   // "slice1"
  std::string assay;  // empty = unknown, and so is the key
  std::string key;
  std::vector<uint64_t> cells;      // the cells on it, by their indices in the store
  std::vector<Column> coordinates;  // one value per cell; includes the numbers imagerow and imagecol
  // Rows, columns, and three or four colours, in C order: reals from 0 to 1, or integers with full strength
  // at the maximum of their type. Null = no picture.
  ArrayPtr pixels{};
  // Diameters of a spot and of the frame's dots, in units of the coordinates.
  double spot = kUnknown;
  double fiducial = kUnknown;
  // Pixels of a picture per unit of the coordinates. `pixels` is the lowres picture.
  double hires = kUnknown;
  double lowres = kUnknown;
  std::optional<double> spot_radius{};  // in widths of the picture, as Seurat 4 draws it
};

// The pictures of a slide as scanpy keeps them: uns/spatial/NAME of an AnnData.
struct SlidePictures {
  std::string name;
  std::vector<Column> images;  // "hires" and "lowres": rows, columns, and three or four colours
  std::vector<std::pair<std::string, double>> factors;  // "tissue_hires_scalef", as Space Ranger names them
  std::vector<std::pair<std::string, std::string>> metadata;  // "chemistry_description"
};

}  // namespace plainfs
