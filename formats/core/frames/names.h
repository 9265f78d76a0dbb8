// Lists of names for the rows and columns of tables and matrices.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// Whether values are text, whatever its length.
bool is_text(const DType& type);

// Whether array.check() finds nothing wrong.
bool is_readable(const Array& array);

// names where they are a list of count of them, else null; a list that does not fit is told of with place
// ("/obsm/X_pca: rows"). One that cannot be read stays: showing it says so. Reads no elements.
ArrayPtr fitting_names(ArrayPtr names, uint64_t count, const std::string& place, Context& context);

// group's member as a list of names; null where it is none, which is told of. One that is there and cannot be
// read is an array whose every use says so.
ArrayPtr find_names(const Group& group, std::string_view name, Context& context);

// Names whose characters outside ASCII are stored as character references (10x, loom), as people know them.

// The list with its references decoded (formats/core/text/character_references.h), as text of variable
// length; what is no text is given back as it is.
ArrayPtr decoded_names(ArrayPtr names);

// names; null where it is known to hold none, as of a side of a matrix without rows.
ArrayPtr some_names(ArrayPtr names);
// Both.
ArrayPtr some_decoded_names(ArrayPtr names);

}  // namespace plainfs::frames
