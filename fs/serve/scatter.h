// Cells as points in a plane.
#pragma once

#include <optional>
#include <string>

#include "fs/serve/cell_colour.h"
#include "fs/serve/embeddings.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

inline constexpr uint64_t kMostPoints = 20'000;
inline constexpr uint64_t kMostThumbnailPoints = 1'500;

// Returns the places as a figure, coloured if colour is not null. cells: how many there are. names: the
// levels whose names stand over their cells, or null; of a colour of levels these are its own.
Figure scatter(const CellPlaces& places, uint64_t cells, const std::string& name, const CellColour* colour,
               const CellGroups* names = nullptr);

// Returns the same as a small picture without words.
std::string scatter_thumbnail(const CellPlaces& places, const CellColour* colour);

}  // namespace plainfs::serve
