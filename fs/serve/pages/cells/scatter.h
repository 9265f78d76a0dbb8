// Cells as points in a plane.
#pragma once

#include <optional>
#include <string>

#include "fs/serve/pages/cells/cell_colour.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/pages/cells/region.h"
#include "fs/serve/pages/cells/slide_view.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

inline constexpr uint64_t kMaxPoints = 20'000;
inline constexpr uint64_t kMaxThumbnailPoints = 1'500;

// Returns the places as a figure, coloured by `colour` unless it is null. cells: the number of cells. names:
// the levels to label, or null. If the colour has levels, those are labelled.
Figure scatter(const CellPlaces& places, uint64_t cells, const std::string& name, const CellColour* colour,
               const CellGroups* names = nullptr);
// Returns the cells of a region, of the number `cells`, as scatter() does.
Figure scatter(const RegionPlaces& part, const PlaneRegion& region, uint64_t cells, const std::string& name,
               const CellColour* colour, const CellGroups* names);

// Returns the cells of a slide over its picture. cells: the number of cells on the slide.
Figure scatter(const SlideView& slide, uint64_t cells, const CellColour* colour, bool has_tissue);

// Small plots of the cells of each level, with the axes and the colours of one plot of all.
inline constexpr size_t kMaxPanels = 24;
// Returns a plot for each level of `split`, called column, as one figure. If there are over kMaxPanels, the
// largest have plots, and the others are named.
Figure panels(const CellPlaces& places, const std::string& column, const CellGroups& split,
              const CellColour* colour);

// Returns a small plot of the cells with the name and the scale of their colour below it, as HTML.
std::string panel_of(const CellPlaces& places, const CellColour& colour);

// Returns the places as a small picture without text.
std::string scatter_thumbnail(const CellPlaces& places, const CellColour* colour);

}  // namespace plainfs::serve
