// Records of two reals named r, i or Real, Imaginary are complex numbers, as in HDF5 (fs/VIEWS.md, section
// 2).
#pragma once

#include "formats/containers/zarr/metadata.h"

namespace plainfs::zarr {

// Returns metadata with such records as complex numbers, unchanged if it has no such records. Records remain
// records if they have room between the two reals, two byte orders, shards, or codecs that see the array.
ArrayMetadata with_pairs_as_complex(ArrayMetadata metadata);

}  // namespace plainfs::zarr
