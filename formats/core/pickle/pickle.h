// Decoding of pickles: the value of a pickle, and pickled numpy records as the Elements of a compound.
#pragma once

#include "formats/core/model/elements/elements.h"
#include "formats/core/pickle/pickle_text.h"
#include "formats/core/pickle/pickle_values.h"

namespace plainfs {

// Returns the one value of a whole pickle. Its texts and bytes point into `pickle` or `heap`. Allocates at
// most a small multiple of the pickle's size. Throws damaged.
PickleValue run_pickle(ByteSpan pickle, PickleHeap& heap);

// Returns the elements of `array` as `type`, which must have the same names and kinds and fit the numbers;
// byte order and padding may differ. Throws damaged if they do not match. Requires: array.type.
Elements pickled_records(const PickleArray& array, const DType& type, const PickleHeap& heap,
                         PickleText& text);

}  // namespace plainfs
