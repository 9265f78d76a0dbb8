// A field of numbers over two axes as a coloured picture with ticks, and a curve over one axis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fs/serve/plots/plot.h"
#include "fs/serve/plots/ticks.h"

namespace plainfs::serve {

// An axis of a field or a curve: its ticks are at parts of its length, 0 to 1.
struct TickedAxis {
  std::string name;
  std::vector<Tick> ticks{};
};

// A link over a part of a field. The parts are those of a grid of equal cells.
struct FieldLink {
  uint32_t column, row;
  std::string href;
};

struct FieldPlot {
  std::string id;  // unique within the page: letters
  std::string title;
  std::string description;
  uint32_t columns = 0, rows = 0;
  std::vector<double>
      values{};                // line by line, the highest line first; those that are not finite are hatched
  Interval range{};            // of the colours; values beyond it have the colours of its ends
  double aspect = 1;           // of the area of the values: its width by its height
  TickedAxis x{}, y{};         // the places along y are from the top
  std::optional<Spot> mark{};  // a chosen place, as parts of the width and of the height from the top
  uint32_t link_columns = 0, link_rows = 0;
  std::vector<FieldLink> links{};
};

// Returns the picture. The links over it are marked as not to be followed by programs, and screen readers
// skip them.
std::string field_html(const FieldPlot& plot);

// Returns the key of the colours: the texts of their ends around a bar, and `text` behind it.
std::string field_key(const std::string& low, const std::string& high, const std::string& text);

struct CurvePlot {
  std::string id;
  std::string title;
  std::string description;
  std::vector<Spot> spots{};  // x is a part of the width, y in units of the values; not finite: a gap
  Interval range{};           // of y
  TickedAxis x{};
  std::string y_name{};
  int width = 640, height = 250;
  std::optional<double> mark{};  // the part of the width at which a dashed line stands
};

std::string curve_svg(const CurvePlot& plot);

}  // namespace plainfs::serve
