// CF data as NetCDF classic files with 64-bit offsets (CDF-2), which CDO, NCO, GDAL, R and every other reader
// of NetCDF open. Source: "NetCDF Classic Format Specification", Unidata; the choice of types and attributes
// is in formats/schemas/cf/FORMAT.md, "The group as a NetCDF file".
#pragma once

#include "formats/core/cf/dataset.h"
#include "formats/core/model/context.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// Returns whether NetCDF classic has a type for the values of a variable.
bool has_netcdf(const CfVariable& variable);
// Returns whether a variable with an axis has such a type.
bool has_netcdf(const CfDataset& dataset);

// Returns all variables of a dataset in one file. Reads the values of 64-bit integers (of up to 2^20
// elements) and the lengths of texts. Throws unsupported if two variables have over 2^32 - 4 bytes, or a
// dimension is too long.
ByteLayout netcdf_file(const CfDataset& dataset, Context& context);
// Returns one variable after the variables that it refers to: coordinates, bounds, grid mapping and the like.
// Throws as above, and unsupported if the values of the variable do not fit.
ByteLayout netcdf_file(const CfDataset& dataset, const CfVariable& variable, Context& context);

}  // namespace plainfs
