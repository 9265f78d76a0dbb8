// Pickled numpy records as the Elements of a compound.
#pragma once

#include "formats/core/model/elements.h"
#include "formats/core/pickle/pickle_text.h"

namespace plainfs {

// The elements of array as type has them: same names and kinds, numbers that fit; byte order and padding may
// differ. Requires: array.type. Throws damaged where they are others.
Elements pickled_records(const PickleArray& array, const DType& type, const PickleHeap& heap,
                         PickleText& text);

}  // namespace plainfs
