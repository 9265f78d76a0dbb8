// The columns of a table in Parquet files as arrays. Rows are read page by page; pages are kept in the cache.
#pragma once

#include "formats/containers/parquet/leaf.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs::parquet {

// Returns top-level column `number` of the files: of a leaf its values, of a group JSON. is_wkb: the file
// states that the column has geometries. An array that throws stands for a column that cannot be shown.
ArrayPtr column_array(const PartsPtr& parts, size_t number, bool is_wkb, Context& context);

}  // namespace plainfs::parquet
