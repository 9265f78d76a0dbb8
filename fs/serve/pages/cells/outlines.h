// The labels, shapes and points of SpatialData over one of its images: outlines and dots.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

// Returns the labels, shapes and points around a table that share a coordinate system with an image:
// "labels/cells". Empty for the tables of other stores. Reads metadata. Throws the errors of reading it.
std::vector<std::string> outline_names(const Node& table, const std::string& image, Context& context);

// Returns one of outline_names() as lines over the area of a backdrop of that image. The picture is
// transparent but for the pixels of objects that touch another or the background, the edges of polygons and
// circles, and squares of two by two pixels at points, with the neighbours of all of these. Its longer side
// has 800 pixels. Throws the errors of reading the element, and unsupported for one that cannot be drawn.
Backdrop outlines_of(const Node& table, const std::string& image, const std::string& element,
                     const Backdrop& area, Context& context);

// A plane of pixels that are set or not. Lines leave out what is outside.
class LinePlane {
 public:
  LinePlane(uint32_t width, uint32_t height)
      : width_(width), height_(height), pixels_(size_t{width} * height, '\0') {}

  // Sets the pixel that contains a place.
  void dot(double x, double y);
  // Sets the pixels of n + 1 evenly spaced places from the first to the second, n being the length along the
  // longer axis, rounded up.
  void line(std::pair<double, double> from, std::pair<double, double> to);
  const std::string& pixels() const { return pixels_; }
  // Returns the pixels with the four neighbours of each.
  std::string widened() const;

 private:
  const uint32_t width_, height_;
  std::string pixels_;
};

using Ring = std::vector<std::pair<double, double>>;
// Returns the points, lines and edges of polygons in WKT, each as a list of places; those of a polygon are
// closed. Further coordinates are skipped. Throws damaged for any other text.
std::vector<Ring> rings_in(std::string_view wkt);

}  // namespace plainfs::serve
