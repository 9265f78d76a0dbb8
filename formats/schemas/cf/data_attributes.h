// The attributes that belong to the data, with their types and without the bookkeeping of the store.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs::cf {

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
