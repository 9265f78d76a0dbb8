// Values beside a mask that says which of them are missing: AnnData's nullable integers, truth values and
// texts.
#pragma once

#include "formats/core/model/node.h"

namespace plainfs::frames {

// values, missing where mask is TRUE. Throws damaged from check() and from every use where the two differ in
// length or the mask is no truth values.
ArrayPtr nullable(ArrayPtr values, ArrayPtr mask);

// Of a group of values and mask. A part that is absent gives an array that throws damaged when it is used.
ArrayPtr nullable_group(const Group& group);

}  // namespace plainfs::frames
