// The names that stores give the axes of an array.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/array.h"

namespace plainfs::cf {

// Returns the value of an attribute, null if it is absent or cannot be read.
const Json* readable_value(const Attributes& attributes, std::string_view name);

struct Axes {
  std::vector<std::string> names;  // one for each axis, "" for one without a name
  bool is_scalar = false;          // stored as one element of rank 1

  bool has_names() const;
};

// Returns the names of the axes of an array of Zarr (`_ARRAY_DIMENSIONS`, `dimension_names`, NCZarr's
// references) or of NetCDF classic. HDF5 is in netcdf4.h. If the number of names differs from the number of
// axes, the axes are unnamed. attributes: those of the array.
Axes axes_of(const Array& array, const Attributes& attributes);

}  // namespace plainfs::cf
