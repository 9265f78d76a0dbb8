// A Zarr hierarchy in the compressed form that an export writes: version 3 as zarr-python 3 writes it for
// anndata 0.13 (sharded, zstd, with consolidated metadata), or version 2 as zarr-python 2 writes it (blosc).
#pragma once

#include <memory>

#include "formats/core/model/context.h"
#include "fs/layout/zarr_tree.h"
#include "fs/text/packed_form.h"

namespace plainfs {

// Inspects all elements below the root, but those that are unlisted, which are left out. Reads no data.
// Throws the error of an element that cannot be shown, and unsupported for another version than 2 and 3.
// Without compression, version 2 equals the generated directory.
std::unique_ptr<const PackedFolder> zarr_packed(ZarrNodePtr root, const FolderPacking& packing,
                                                Context& context);

}  // namespace plainfs
