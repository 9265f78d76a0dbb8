// A plot as a description, and as SVG: points, bars, lines and ticks over two axes. All pages draw by it. The
// text of a plot is what the store holds; it is escaped when it is drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fs/serve/plots/ink.h"

namespace plainfs::serve {

// A stretch of numbers. Both ends are finite, and low <= high.
struct Interval {
  double low = 0;
  double high = 0;
};

// In the numbers of the axes. A spot that is not finite is not drawn.
struct Spot {
  double x;
  double y;
};

// Dots, each as wide as the others. Those that fall on one pixel are one.
struct Dots {
  std::vector<Spot> spots;
  Ink ink;
  double width = 3;
};
// A bar from y = 0 up to height, and from x = low to high.
struct Bar {
  double low;
  double high;
  double height;
};
struct Bars {
  std::vector<Bar> bars;
};
// A line through its spots, broken where one is not finite.
struct Line {
  std::vector<Spot> spots;
  Ink ink;
};
// Upright strokes: from spot's y up by one.
struct Ticks {
  std::vector<Spot> spots;
  Ink ink;
};
// A name that stands over a spot, if no name before it takes the room.
struct Label {
  Spot spot;
  std::string text;
};
using Mark = std::variant<Dots, Bars, Line, Ticks, Label>;

struct Axis {
  std::string name;
  Interval range;
  bool has_ends = true;  // the numbers at both ends are written
};

struct Plot {
  std::string id;           // of its own within the page: letters
  std::string title;        // a screen reader's name of it
  std::string description;  // the same for what it shows, in numbers
  Axis x, y;
  int width = 640, height = 440;
  bool keeps_aspect = false;  // a unit is as long along both axes
  std::vector<Mark> marks{};  // drawn in this order
};

std::string svg_of(const Plot& plot);

// Returns the marks alone, up to the edges, as a picture that a screen reader passes over.
std::string bare_svg_of(const Plot& plot);

// Bars over even steps without axes, as small as a word: the shape of a distribution. heights: at least one.
std::string small_bars(const std::vector<double>& heights);

struct NamedCount {
  std::string name;
  uint64_t count;
};
// Bars to the right, each with its name before it and its count behind it.
std::string named_bars(const std::string& id, const std::string& title, const std::vector<NamedCount>& bars);

// The key of a scale of numbers: its ends in words around a bar of the steps' colours.
std::string scale_key(const std::string& low, const std::string& high, const std::string& words);

// Returns a whole number as it is, "12,300", and others with four significant digits: "0.05", "1.2e-07".
std::string number_words(double value);

}  // namespace plainfs::serve
