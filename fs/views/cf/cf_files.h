// CF data as NetCDF classic files, which CDO, NCO, GDAL, R and every other reader of NetCDF open, and as
// tables.
#pragma once

#include <optional>
#include <string>

#include "formats/core/cf/dataset.h"
#include "formats/core/model/context.h"
#include "fs/layout/byte_layout.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// Returns whether NetCDF classic has a type for the values of a variable.
bool has_netcdf(const CfVariable& variable);
// Returns whether a variable with an axis has such a type.
bool has_netcdf(const CfDataset& dataset);

// Returns why no file can have all variables of a dataset: a dimension without elements has to be the only
// one, and the first of its variables. Returns nullopt if nothing speaks against it.
std::optional<std::string> second_record_dimension(const CfDataset& dataset);

// Returns all variables of a dataset in one file. Reads the values of 64-bit integers (of up to 2^20
// elements) and the lengths of texts. Throws unsupported if two variables have over 2^32 - 4 bytes, or a
// dimension is too long.
ByteLayout netcdf_file(const CfDataset& dataset, Context& context);
// Returns one variable after the variables that it refers to: coordinates, bounds, grid mapping and the like.
// Throws as above, and unsupported if the values of the variable do not fit.
ByteLayout netcdf_file(const CfDataset& dataset, const CfVariable& variable, Context& context);

// For a CF dataset, for each of its variables, and for its tables: those that the row's view shows of a
// table.
void offer_netcdf_of_dataset(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_netcdf_of_variables(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_tables_of_variables(const FileRow& row, const Node& node, Context& context, Files& files);
// VAR/DIM=VALUE.csv for each variable, and the other forms of tables and NetCDF.
void offer_coordinate_parts(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
