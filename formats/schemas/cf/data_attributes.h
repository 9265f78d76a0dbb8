// Attributes as they belong to the data: without the bookkeeping of the store, with their types.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs::cf {

// Returns the attributes of an array without those that the store needs for itself (names of axes, NCZarr's,
// HDF5's dimension scales). The types that NCZarr records are set. `_FillValue` is a number where Zarr v3
// spells it in base64, and is there if Zarr v2 has it as fill_value of a number alone.
// is_by_netcdf: netCDF wrote the store, which records `_FillValue` itself.
Attributes data_attributes(const Array& array, const Attributes& stored, bool is_by_netcdf);
// The same of a group.
Attributes data_attributes(const Attributes& stored);

// Returns the attributes to show: as stored, but a `_FillValue` in base64 is a number and HDF5's bookkeeping
// left out.
Attributes shown_attributes(const Array& array, const Attributes& stored, bool is_by_netcdf);
Attributes shown_attributes(const Attributes& stored, bool is_hdf5);

}  // namespace plainfs::cf
