// The metadata cache image of an HDF5 file (H5Pset_mdc_image_config): a block into which the library wrote
// its metadata when it closed the file, instead of writing each piece to its own address. The bytes at those
// addresses are meaningless, so a reader without the library must look into the image first. Source: HDF5
// File Format Specification 3.0, section IV.A.2.y (the message) and H5Cimage.c (the block).
#pragma once

#include "formats/containers/hdf5/file_layout.h"

namespace plainfs::hdf5 {

// Returns file with the bytes of its cache image at their addresses, or file itself if it has no image.
// Throws damaged if the superblock refers to an image that cannot be read.
FilePtr with_cache_image(FilePtr file, const FileLayout& layout);

}  // namespace plainfs::hdf5
