// A table as a data frame of AnnData.
#pragma once

#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/anndata_layout.h"

namespace plainfs {

// Puts the group path with the columns and the index; rows without names are counted from 0.
void put_frame(const std::string& path, const Table& table, Context& context, AnnDataLayout& out);

// Whether any value is missing; reads all, and notes what it found.
bool any_missing(const Array& values, Context& context);

}  // namespace plainfs
