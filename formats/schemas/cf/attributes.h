// The attributes of CF data: the names that stores give the axes of an array, and the attributes that belong
// to the data, with their types and without the bookkeeping of the store.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/arrays/array.h"

namespace plainfs::cf {

struct Axes {
  std::vector<std::string> names;   // one for each axis, "" for one without a name
  std::vector<std::string> groups;  // path of the group that defines each, "" if unknown; or empty
  bool is_scalar = false;           // stored as one element of rank 1

  bool has_names() const;
};

// Returns the names of the axes of an array of Zarr (`_ARRAY_DIMENSIONS`, `dimension_names`, NCZarr's
// references) or of NetCDF classic. HDF5 is in netcdf4.h. If the number of names differs from the number of
// axes, the axes are unnamed. attributes: those of the array.
Axes axes_of(const Array& array, const Attributes& attributes);

// Returns whether an array is one of NetCDF classic, or of Zarr as libnetcdf writes it.
bool is_stored_by_netcdf(const Array& array, const Attributes& attributes);

// Returns the attributes of an array without those that the store needs for itself (names of axes, NCZarr's,
// HDF5's dimension scales). The types that NCZarr records are set. `_FillValue` is a number even if Zarr v3
// spells it in base64, and is present if Zarr v2 has it only as fill_value of a number. is_by_netcdf: netCDF
// wrote the store, and records `_FillValue` itself.
Attributes data_attributes(const Array& array, const Attributes& stored, bool is_by_netcdf);
// Returns the attributes of a group without those that the store needs for itself.
Attributes data_attributes(const Attributes& stored);

// Returns the attributes to show: as stored, except that a `_FillValue` in base64 is a number and HDF5's
// bookkeeping is left out.
Attributes shown_attributes(const Array& array, const Attributes& stored, bool is_by_netcdf);
Attributes shown_attributes(const Attributes& stored, bool is_hdf5);

}  // namespace plainfs::cf
