// NetCDF-4's interpretation of the datasets of an HDF5 group (FORMAT.md, "NetCDF-4 in HDF5").
#pragma once

#include <string>
#include <vector>

#include "formats/core/cf/dataset.h"
#include "formats/core/model/node.h"
#include "formats/schemas/cf/attributes.h"

namespace plainfs::cf {

// An array of a group before it has a meaning.
struct StoredArrayOf {
  std::string name;
  Node node;
  Attributes attributes;  // as stored
  Axes axes;

  const Array& values() const { return *std::get<LabelledArray>(node.content).values; }
};

// Returns whether a group belongs to an HDF5 file.
bool is_of_hdf5(const Group& group);
// Returns whether the attributes of an array are those of a dimension scale, or name the scales of its axes.
bool has_scales(const Attributes& attributes);

// The arrays of a group with their axes, and the dimensions that it defines.
struct ScaledArrays {
  std::vector<StoredArrayOf> arrays;
  std::vector<CfDimension> dimensions;  // of a file that was written as NetCDF-4
};

// Sets the axes of arrays from the dimension scales that they refer to. If the file was written as NetCDF-4,
// also follows netCDF: leaves out dimensions without a variable, removes the prefix from the name of a
// variable that has the name of a dimension it does not use, and extends a variable that is shorter than its
// dimension with its fill value. arrays: all of the group. has_groups: the group contains groups, which may
// have longer variables along a dimension without a limit. Throws what reading attributes throws.
ScaledArrays with_scales(const Group& group, std::vector<StoredArrayOf> arrays, bool has_groups);

}  // namespace plainfs::cf
