// The Seurat object that an h5Seurat file or an R object holds.
#pragma once

#include <functional>
#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/seurat_object.h"

namespace plainfs::annotated {

// Of a directory with cell.names, assays and meta.data. Keys that are not told are empty, identities null;
// layers that were split are joined; neighbours, images, commands, misc and tools are left out.
std::optional<std::function<SeuratObject()>> find_stored_seurat(const Node& directory, Context& context);

}  // namespace plainfs::annotated
