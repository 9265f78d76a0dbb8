// A slide of tissue as a page shows it: its picture, reduced to the size of a page, and its cells over it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "formats/core/model/contents/slide.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

struct SlideView {
  std::string name;
  CellPlaces places;  // y is negative, since rows of a picture run down; NaN for cells on other slides
  std::shared_ptr<const Backdrop> picture;
  double spot;                                 // diameter of a spot in the units of places
  std::shared_ptr<const Backdrop> outlines{};  // null: none
  std::string outlined{};                      // "labels/cells"
};

// Returns the picture of a slide, reduced to at most 800 pixels a side. Reads all of it. Throws unsupported
// for a picture of over kMaxPicturePixels. Requires: slide.pixels and a known scale.
Backdrop backdrop_of(const Slide& slide);

// Returns a slide with its picture and the places of at most `most` of the store's cells. Throws damaged for
// a cell that does not exist.
SlideView view_of(const Slide& slide, std::shared_ptr<const Backdrop> picture, uint64_t cells, uint64_t most);

}  // namespace plainfs::serve
