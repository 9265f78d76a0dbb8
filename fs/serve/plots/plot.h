// A plot as a description, and as SVG: points, bars, lines and ticks over two axes. All pages use it. Text in
// a plot is the store's, and is escaped when it is drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fs/serve/plots/ink.h"

namespace plainfs::serve {

// An interval of numbers. Both ends are finite, and low <= high.
struct Interval {
  double low = 0;
  double high = 0;

  // Returns how far a number lies from low to high: 0 to 1, also beyond the ends. Returns 0.5 if they are
  // equal.
  double part(double value) const;
};

// A point in the units of the axes. A spot that is not finite is not drawn.
struct Spot {
  double x;
  double y;
};

// Dots of equal width. Dots on the same pixel are drawn once.
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
// A line through its spots, interrupted at spots that are not finite.
struct Line {
  std::vector<Spot> spots;
  Ink ink;
};
// Vertical strokes, from each spot's y up by one.
struct Ticks {
  std::vector<Spot> spots;
  Ink ink;
};
// Areas of the whole height behind the marks.
struct Bands {
  std::vector<Interval> x;
};
// A name drawn above a spot unless an earlier name occupies the room.
struct Label {
  Spot spot;
  std::string text;
};
using Mark = std::variant<Dots, Bars, Line, Ticks, Bands, Label>;

// A picture behind all marks, over an area of the axes: the bytes of a PNG.
struct Backdrop {
  std::string png;
  Interval x, y;
};

struct Axis {
  std::string name;
  Interval range;
  bool has_ends = true;  // draw the numbers at both ends
};

struct Plot {
  std::string id;           // unique within the page: letters
  std::string title;        // a screen reader's name for the plot
  std::string description;  // a screen reader's description, with numbers
  Axis x, y;
  int width = 640, height = 440;
  bool keeps_aspect = false;  // a unit has the same length along both axes
  std::vector<Mark> marks{};  // drawn in this order
  const Backdrop* behind = nullptr;
  const Backdrop* lines = nullptr;  // over that, transparent but for lines
  bool has_axes_text = false;       // with its frame and the ends of its axes, for the script of the page
};

std::string svg_of(const Plot& plot);

// Returns the marks alone, up to the edges, as a picture that screen readers skip.
std::string bare_svg_of(const Plot& plot);

// Returns bars over even steps without axes, as small as a word: the shape of a distribution. Requires:
// heights is not empty.
std::string small_bars(const std::vector<double>& heights);

struct NamedCount {
  std::string name;
  uint64_t count;
};
// Returns horizontal bars, each with its name before it and its count behind it.
std::string named_bars(const std::string& id, const std::string& title, const std::vector<NamedCount>& bars);

// Returns the key of a scale of numbers: the texts of its ends around a bar of the steps' colours.
std::string scale_key(const std::string& low, const std::string& high, const std::string& text);

// Returns an integer in full, "12,300", a number from 1,000 on without its fraction, and other numbers with
// four significant digits: "0.05", "1.2e-07".
std::string number_text(double value);

}  // namespace plainfs::serve
