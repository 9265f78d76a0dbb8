// String columns whose text is not simply the stored element.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs::takane {

// Fixed-length strings as takane reads them: they end at the first NUL, and trailing blanks belong to them
// whatever the HDF5 padding says. Other arrays are returned as they are.
ArrayPtr nul_terminated(ArrayPtr values);

// A variable-length string column ("vls", from version 1.1): element i is heap[offset, offset + length), cut
// at the first NUL. pointers: compound {offset, length}, rank 1; heap: uint8, rank 1. Pointers may overlap,
// leave gaps and come in any order. read() throws damaged where one leads out of the heap.
ArrayPtr vls_text(ArrayPtr pointers, ArrayPtr heap);

}  // namespace plainfs::takane
