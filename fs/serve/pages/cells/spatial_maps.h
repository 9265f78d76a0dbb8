// The coordinates of SpatialData: the maps from its elements to the coordinate systems that they share.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs::serve {

// An affine map of the plane: x' = x[0] x + x[1] y + x[2], and likewise y'.
struct Affine {
  std::array<double, 3> x{1, 0, 0}, y{0, 1, 0};

  std::pair<double, double> operator()(double across, double down) const {
    return {x[0] * across + x[1] * down + x[2], y[0] * across + y[1] * down + y[2]};
  }
  // Returns this map after another.
  Affine after(const Affine& first) const;
  // Returns the inverse map; nullopt if the map has no inverse.
  std::optional<Affine> inverse() const;
};

// Returns the maps from an element to its coordinate systems, by their names: those of x and y. One of a kind
// that plainfs does not know, or that mixes in other axes, is left out.
std::map<std::string, Affine> systems_of(const plainfs::Group& element);

// Returns the map from one element to the pixels of another, through a system that they share.
std::optional<Affine> map_between(const std::map<std::string, Affine>& from,
                                  const std::map<std::string, Affine>& to);

// Returns the names of the coordinate systems of an element of SpatialData.
std::vector<std::string> system_names(const plainfs::Group& element);

}  // namespace plainfs::serve
