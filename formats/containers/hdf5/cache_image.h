// The metadata cache image of an HDF5 file (H5Pset_mdc_image_config): a block into which the library wrote
// its metadata when it closed the file, instead of writing each piece to its own address. What stands at
// those addresses means nothing, so that whoever reads metadata without the library has to look into the
// image first. Source: HDF5 File Format Specification 3.0, section IV.A.2.y (the message) and H5Cimage.c (the
// block).
#pragma once

#include "formats/containers/hdf5/file_layout.h"

namespace plainfs::hdf5 {

// The file, with the bytes of its cache image where they belong; the file itself if it has none. Throws
// damaged if the superblock says that there is an image and it cannot be read.
FilePtr with_cache_image(FilePtr file, const FileLayout& layout);

}  // namespace plainfs::hdf5
