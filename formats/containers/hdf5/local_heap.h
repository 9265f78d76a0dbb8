// The heap with the names of a group's members, in HDF5's oldest form of group. Source: HDF5 File Format
// Specification 3.0, sections III.D (local heaps) and IV.A.2.r (symbol table message).
#pragma once

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/file.h"

namespace plainfs::hdf5 {

// Throws damaged if the free list of a group's local heap is endless: libhdf5 1.10 follows it and allocates
// memory at each step until none is left. group: the address of its object header. The rest of the heap, and
// groups without one, are left to the library.
void check_local_heap(const File& file, const FileLayout& layout, uint64_t group);

}  // namespace plainfs::hdf5
