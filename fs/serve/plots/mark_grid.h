// Marks in rows and columns with names, as SVG: a dot or a shape for each level and gene.
#pragma once

#include <string>
#include <vector>

namespace plainfs::serve {

struct MarkGrid {
  // A dot, or no mark if either number is not finite.
  struct Dot {
    double share;   // 0 to 1, by its area
    double colour;  // 0 to 1, along the scale of colours
  };

  std::string id;           // unique within the page: letters
  std::string title;        // a screen reader's name for the picture
  std::string description;  // a screen reader's description, with numbers
  std::vector<std::string> rows, columns;
};

// Returns dots, row by row. Requires: one for each row and column.
std::string dots_svg(const MarkGrid& grid, const std::vector<MarkGrid::Dot>& dots);

// Returns upright shapes that are as wide as their counts over even steps, the first step at the bottom. A
// shape has the full width where its count is the greatest; one without counts is not drawn. Requires: one
// for each row and column.
std::string violins_svg(const MarkGrid& grid, const std::vector<std::vector<double>>& shapes);

}  // namespace plainfs::serve
