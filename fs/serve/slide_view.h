// A slide of tissue as a page shows it: its picture, reduced to the size of a page, and its cells over it.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/model/slide.h"
#include "fs/serve/embeddings.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

struct SlideView {
  std::string name;
  CellPlaces places;  // y is negative, since rows of a picture run down; NaN for cells on other slides
  Backdrop picture;
  double spot;  // diameter of a spot in the units of places
};

// Returns a slide with the places of at most `most` of the store's cells. Reads the whole picture. Throws
// unsupported for a picture of over kMostPicturePixels, and damaged for a cell that does not exist. Requires:
// slide.pixels and a known scale.
SlideView view_of(const Slide& slide, uint64_t cells, uint64_t most);

}  // namespace plainfs::serve
