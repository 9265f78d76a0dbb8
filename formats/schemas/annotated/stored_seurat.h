// The Seurat object that an h5Seurat file holds.
#pragma once

#include <functional>
#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/seurat_object.h"

namespace plainfs::annotated {

// Of the root of a file with cell.names and meta.data. Keys that the file does not tell are empty, identities
// null; neighbours, images, commands, misc and tools are left out.
std::optional<std::function<SeuratObject()>> find_stored_seurat(const Node& directory, Context& context);

}  // namespace plainfs::annotated
