// Python's pickles read as data: nothing in them is ever called (pickle.h). Zarr stores object arrays
// in them (numcodecs pickles.py), and the fill values of records with objects.
#pragma once

#include "formats/core/codecs/codec.h"

namespace plainfs {

// Returns the value of a pickle: tuples, arrays and records as lists, bytes as hex. Throws damaged.
Json read_pickle(ByteSpan pickle);

// Returns a codec for pickled arrays. dtype: Kind::json, or a compound with json fields for `|O`. The
// elements of a compound then have the types of its fields, and the fields of the pickled array must have the
// same names and kinds.
ObjectCodecPtr pickle_codec(const DType& dtype);

}  // namespace plainfs
