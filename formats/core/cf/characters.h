// Texts stored as NetCDF stores them: an element of the array for each character, and the last axis along a
// text.
#pragma once

#include "formats/core/model/arrays/array.h"

namespace plainfs {

// Returns whether elements are single bytes of text with a last axis, not of length 0, that may run along
// texts.
bool may_be_texts(const Array& array);

// Returns whether the attributes of an array of characters in Zarr mark its last axis as the length of a
// text: the attribute _Encoding of xarray, or a name of the axis with "str", "char" or "len" in it. Without
// such a mark the array may be one of single characters, such as the alleles of variants.
bool are_marked_as_texts(const Attributes& attributes);

// Returns the texts along the last axis, without trailing NULs. Requires: may_be_texts().
ArrayPtr joined_text(const ArrayPtr& characters);

}  // namespace plainfs
