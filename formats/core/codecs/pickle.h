// Python's pickles read as data: nothing in one is ever called (pickle_machine.h). Zarr keeps object arrays
// in them (numcodecs pickles.py) and the fill values of records with objects.
#pragma once

#include "formats/core/codecs/codec.h"

namespace plainfs {

// The value of a pickle: tuples, arrays and records as lists, bytes as hex. Throws damaged.
Json read_pickle(ByteSpan pickle);

// dtype: Kind::json, or a compound with json fields for `|O`, whose elements then are typed as its fields
// are; the pickled array's own fields must have the same names and kinds.
ObjectCodecPtr pickle_codec(const DType& dtype);

}  // namespace plainfs
