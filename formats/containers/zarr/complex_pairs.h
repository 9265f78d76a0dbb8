// Records of two reals called r, i or Real, Imaginary are complex numbers, as in HDF5 (fs/VIEWS.md, section
// 2).
#pragma once

#include "formats/containers/zarr/metadata.h"

namespace plainfs::zarr {

// metadata with such records taken as complex, else as it is. Left as records: those with room between the
// two, of two byte orders, in shards, or behind codecs that see the array.
ArrayMetadata with_pairs_as_complex(ArrayMetadata metadata);

}  // namespace plainfs::zarr
