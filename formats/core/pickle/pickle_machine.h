// The pickle machine of Python (pickletools.py tells its opcodes), as far as data need it. It knows a fixed
// list of opcodes and globals (PickleFunction), calls nothing, and refuses everything else.
#pragma once

#include "formats/core/pickle/pickle_values.h"

namespace plainfs {

// The one value of a whole pickle; text and bytes in it point into pickle or heap. What it allocates is
// bounded by a small multiple of the pickle's size. Throws damaged.
PickleValue run_pickle(ByteSpan pickle, PickleHeap& heap);

}  // namespace plainfs
