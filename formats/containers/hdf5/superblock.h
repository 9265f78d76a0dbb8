// The superblock of an HDF5 file, read without libhdf5. Source: HDF5 File Format Specification 3.0, section
// II.A.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/core/base/probe.h"

namespace plainfs::hdf5 {

// Returns the offset of the signature, nullopt if it is at none of the offsets where a superblock may be:
// byte 0, 512, 1024, 2048 and so on.
std::optional<uint64_t> place_of_superblock(const Probe& probe);

// Returns whether the superblock alone shows that libhdf5 can open the file: its version is supported, its
// checksum correct, the file has the stated length and is not being written, and there is no driver and no
// extension. False leaves the question open.
bool has_plain_superblock(const Probe& probe);

}  // namespace plainfs::hdf5
