// The superblock of an HDF5 file, read without libhdf5. Source: HDF5 File Format Specification 3.0, section
// II.A.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/core/base/probe.h"

namespace plainfs::hdf5 {

// Where the signature stands, of the places where a superblock may be: at byte 0, 512, 1024, 2048 and so on.
std::optional<uint64_t> place_of_superblock(const Probe& probe);

// Whether there is a superblock which leaves nothing to ask libhdf5 before the file is said to open: of a
// version that it reads, with its checksum, of a file as long as it says and not being written, without a
// driver and without an extension. False says nothing.
bool has_plain_superblock(const Probe& probe);

}  // namespace plainfs::hdf5
