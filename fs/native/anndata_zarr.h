// An annotated matrix as AnnData's Zarr of version 2, the same elements as in its .h5ad: what anndata 0.8
// writes with zarr-python 2 and no compressor.
#pragma once

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// How much a chunk holds at most.
struct ZarrLimits {
  uint64_t numbers = 131072;           // elements of rank 1
  uint64_t texts = 65536;              // elements
  uint64_t columns = 256;              // along the second axis
  uint64_t bytes = uint64_t{1} << 20;  // of rank 2 and more
};

// make: called when the directory is first entered. An element is looked at when its own directory is.
ListMade anndata_zarr(std::function<AnnotatedMatrix()> make, Context& context, ZarrLimits limits = {});

}  // namespace plainfs
