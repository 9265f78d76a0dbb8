// Python's pickle machine (pickletools.py documents its opcodes), restricted to data. It knows a fixed list
// of opcodes and globals (PickleFunction), calls nothing, and refuses everything else.
#pragma once

#include "formats/core/pickle/pickle_values.h"

namespace plainfs {

// Returns the one value of a whole pickle. Its texts and bytes point into `pickle` or `heap`. Allocates at
// most a small multiple of the pickle's size. Throws damaged.
PickleValue run_pickle(ByteSpan pickle, PickleHeap& heap);

}  // namespace plainfs
