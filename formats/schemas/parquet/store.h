// Parquet files, and folders of them, as stores of one table.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/store.h"

namespace plainfs::parquet {

// Returns whether the location is a file that begins as a Parquet file does, or a folder of parts of a table.
bool recognises(const Probe& probe);
// Opens the table, reading only the footers. Throws damaged or unsupported if one cannot be read.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::parquet
