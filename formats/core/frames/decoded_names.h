// Names whose characters outside ASCII are stored as character references (10x, loom), as people know them.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs::frames {

// The list with its references decoded (formats/core/text/character_references.h), as text of variable
// length; what is no text is given back as it is.
ArrayPtr decoded_names(ArrayPtr names);

// names; null where it is known to hold none, as of a side of a matrix without rows.
ArrayPtr some_names(ArrayPtr names);
// Both.
ArrayPtr some_decoded_names(ArrayPtr names);

}  // namespace plainfs::frames
