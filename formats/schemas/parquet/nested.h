// Nested columns as JSON: structs are objects, lists lists, and maps objects with their keys as text.
#pragma once

#include "formats/containers/parquet/leaf.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs::parquet {

// Returns top-level column `number`, a group or a repeated column, as JSON. Throws if a leaf cannot be shown.
ArrayPtr nested_column(const PartsPtr& parts, size_t number, Context& context);

}  // namespace plainfs::parquet
