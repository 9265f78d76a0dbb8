// The heap that holds the names of a group's members, in the form of group that HDF5 has had from the
// beginning. Source: HDF5 File Format Specification 3.0, sections III.D (local heaps) and IV.A.2.r (symbol
// table message).
#pragma once

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/file.h"

namespace plainfs::hdf5 {

// Throws damaged where the list of what is free in the heap of the group whose object header is at address
// leads on for ever: libhdf5 1.10 follows it and takes memory for each step, until there is none. All else of
// the heap, and groups without one, are left to the library.
void check_local_heap(const File& file, const FileLayout& layout, uint64_t group);

}  // namespace plainfs::hdf5
